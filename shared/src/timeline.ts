import { z } from 'zod';
import { INBOX_STATUSES } from './conversation.ts';
import { choice, datetime, uuid } from './fields.ts';
import { MemberReference } from './member-reference.ts';
import { Message } from './message.ts';
import { Note } from './note.ts';

const member = () => uuid().nullable();

/** One thing that changed about a conversation. */
const ConversationChange = z.discriminatedUnion('field', [
  z.object({
    field: z.literal('status'),
    from: choice(INBOX_STATUSES),
    to: choice(INBOX_STATUSES),
    snoozed_until: datetime().nullable().meta({ example: null }),
  }),
  z.object({
    field: z.literal('assignee'),
    from: member().meta({ example: null }),
    to: member(),
  }),
  z.object({ field: z.literal('tags'), added: z.array(z.string()), removed: z.array(z.string()) }),
  z.object({ field: z.literal('rating'), to: z.int().min(1).max(5).nullable() }),
  z.object({ field: z.literal('is_bot_use'), to: z.boolean() }),
]);
export type ConversationChange = z.infer<typeof ConversationChange>;

const at = () => datetime().meta({ description: 'What the timeline is ordered by, and then by `uuid`.' });

export const TimelineMessage = z
  .object({ kind: z.literal('message'), at: at(), ...Message.shape })
  .meta({ id: 'TimelineMessage' });

export const TimelineNote = z
  .object({ kind: z.literal('note'), at: at(), ...Note.shape })
  .meta({ id: 'TimelineNote' });

export const TimelineEvent = z
  .object({
    kind: z.literal('event'),
    at: at(),
    uuid: uuid(),
    by: MemberReference.nullable().meta({
      description:
        'The member who did it; null where a program did, or where it followed from what was said, or from time.',
    }),
    changes: z.array(ConversationChange),
  })
  .meta({ id: 'TimelineEvent' });
export type TimelineEvent = z.infer<typeof TimelineEvent>;

/** Something that was said, noted or done in a conversation (docs/contract.md#timeline). */
export const TimelineItem = z.discriminatedUnion('kind', [TimelineMessage, TimelineNote, TimelineEvent]);
export type TimelineItem = z.infer<typeof TimelineItem>;
