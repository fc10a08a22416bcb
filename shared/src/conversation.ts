import { z } from 'zod';
import { boolean, choice, datetime, moment, text, uuid, uuidReference, uuidReferences } from './fields.ts';
import { MAX_BULK, MAX_COUNT, MAX_TAG, MAX_TAGS } from './limits.ts';
import { MemberReference } from './member-reference.ts';
import { Message } from './message.ts';

/** How far people have got with a conversation (docs/contract.md#conversation). */
export const INBOX_STATUSES = ['open', 'snoozed', 'done'] as const;
export type InboxStatus = (typeof INBOX_STATUSES)[number];

/** Whose turn it is. */
export const WAITING_ON = ['us', 'visitor'] as const;
export type WaitingOn = (typeof WAITING_ON)[number];

const assignee = () =>
  uuidReference().nullable().meta({
    description: 'The member who takes care of it; null: nobody yet.',
    example: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11',
  });

/** A tag's name, as it is stored. */
export const TagName = text({ min: 1, max: MAX_TAG }).overwrite((value) => value.trim());

/** Tags of a conversation, each once. */
export const tags = (max = MAX_TAGS) =>
  z
    .array(TagName, { error: 'Expected a list of items.' })
    .max(max, `Ensure this list has no more than ${max} items.`)
    .overwrite((list) => [...new Set(list)])
    .meta({ example: ['delivery'] });

/** What a change of a conversation tells, to subscribers and to colleagues. */
export const ConversationState = z.object({
  uuid: uuid().meta({ description: "The room's." }),
  label: z.string().meta({ description: "The room's.", example: 'spring-sale' }),
  widget: uuid().nullable().meta({ description: 'The one that its visitor came through; null: none.' }),
  status: choice(INBOX_STATUSES),
  snoozed_until: datetime().nullable().meta({ example: null }),
  waiting_on: choice(WAITING_ON).nullable(),
  waiting_since: datetime().nullable(),
  first_response_at: datetime().nullable().meta({
    description: "When a member first answered this visitor; a bot's answer is none.",
  }),
  assignee: assignee(),
  tags: z.array(z.string()).meta({ example: ['delivery'] }),
  rating: z.int().min(1).max(5).nullable().meta({ example: null }),
  is_bot_use: z.boolean().meta({ description: 'Whether a bot answers.' }),
  created_at: datetime(),
  updated_at: datetime().meta({ description: 'When something was last said or changed.' }),
});
export type ConversationState = z.infer<typeof ConversationState>;

/** What is known of whoever writes. */
const VisitorDetails = z.object({
  name: z.string().meta({ example: 'Ada' }),
  email: z.string().meta({ example: 'ada@example.com' }),
  phone_number: z.string().meta({ example: '' }),
  is_online: z.boolean(),
  page: z
    .object({ url: z.string(), title: z.string() })
    .nullable()
    .meta({
      description: 'Where the chat was opened.',
      example: { url: 'https://shop.example.com/', title: 'Prices' },
    }),
  device: z.string().meta({ example: 'Chrome 140 on Android, mobile' }),
  locale: z.string().meta({ example: 'en' }),
  referrer: z.string().meta({ example: 'https://search.example.com/' }),
  first_seen_at: datetime().nullable(),
});

/** A room as people work on it (docs/contract.md#conversation). */
export const Conversation = ConversationState.extend({
  name: z.string().meta({ description: "The room's.", example: '' }),
  is_unread: z.boolean().meta({ description: 'Whether whoever asks has yet to read it.' }),
  last_message: Message.nullable(),
  visitor: VisitorDetails,
}).meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof Conversation>;

/** What members change of a conversation. */
export const ConversationPatch = z
  .object({
    status: choice(INBOX_STATUSES),
    snoozed_until: moment().nullable().meta({
      description: 'Up to a year ahead; it is `snoozed` until then.',
      example: null,
    }),
    assignee: assignee(),
    tags: tags(),
    is_unread: boolean().meta({ description: 'For whoever asks alone.' }),
  })
  .meta({ id: 'ConversationSettings' });
export type ConversationPatch = z.infer<typeof ConversationPatch>;

/** The body of POST /api/v1/conversations/bulk/. */
export const BulkChange = ConversationPatch.partial()
  .omit({ tags: true })
  .extend({
    uuids: uuidReferences(MAX_BULK).meta({ example: ['0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11'] }),
    add_tags: tags().optional(),
    remove_tags: tags().optional(),
  })
  .meta({ id: 'BulkChange' });
export type BulkChange = z.infer<typeof BulkChange>;

/** What became of a bulk change. */
export const BulkResult = z
  .object({
    changed: z.array(uuid()).meta({ description: 'Those that are as was asked for, in the order sent.' }),
    missing: z
      .array(uuid())
      .meta({ description: 'Those that there are not, or that are out of view.', example: [] }),
    refused: z.array(uuid()).meta({
      description: 'Those that it can’t be done to: more than 20 tags, or a member who does not see them.',
      example: [],
    }),
    outdated: z.array(uuid()).meta({
      description: 'Those that have changed since: `If-Match` does not name their ETag.',
      example: [],
    }),
  })
  .meta({ id: 'BulkResult' });
export type BulkResult = z.infer<typeof BulkResult>;

const count = () => z.int().min(0).max(MAX_COUNT).meta({ example: 3 });

/** The numbers of the side bar; those without another word are of open conversations. */
export const ConversationCounts = z
  .object({
    open: count(),
    mine: count().meta({ description: 'Whose `assignee` is whoever asks.' }),
    unassigned: count(),
    waiting: count().meta({ description: 'That wait on us.' }),
    unread: count().meta({ description: 'That whoever asks has yet to read.' }),
    snoozed: count(),
    widgets: z.record(z.uuid(), count()).meta({ description: 'By widget.', example: {} }),
    tags: z.record(z.string(), count()).meta({
      description: 'By tag, of the 50 that were given last.',
      example: { delivery: 2 },
    }),
  })
  .meta({ id: 'ConversationCounts' });
export type ConversationCounts = z.infer<typeof ConversationCounts>;

/** The `data` of conversation.updated. */
export const ConversationUpdated = ConversationState.extend({
  changed: z.array(z.string()).meta({ example: ['status'] }),
  previous: ConversationState.pick({ status: true, assignee: true, tags: true })
    .partial()
    .meta({ description: 'Of these fields, the values before.', example: { status: 'open' } }),
  by: MemberReference.nullable().meta({
    description: 'The member who changed it; null where it followed from what was said, or from time.',
  }),
}).meta({ id: 'ConversationUpdated' });
export type ConversationUpdated = z.infer<typeof ConversationUpdated>;
