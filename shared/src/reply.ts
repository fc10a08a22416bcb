import { z } from 'zod';
import { tags } from './conversation.ts';
import { choice, datetime, text, uuid, uuidReference } from './fields.ts';
import { MAX_MESSAGE, MAX_REPLY_NAME, MAX_SHORTCUT } from './limits.ts';

/** What a saved reply may make of a conversation: to snooze one takes a time. */
export const REPLY_STATUSES = ['open', 'done'] as const;

/** A text that members send again and again (docs/contract.md#saved-replies). */
export const Reply = z
  .object({
    uuid: uuid(),
    name: text({ min: 1, max: MAX_REPLY_NAME }).meta({ example: 'Delivery times' }),
    shortcut: text({ min: 1, max: MAX_SHORTCUT })
      .refine((value) => /^[\p{L}\p{M}\p{N}_-]+$/u.test(value), {
        error: 'Letters, digits, - and _ are allowed.',
      })
      .meta({
        description:
          'What members type to find it; unique in the account without regard to case and accents.',
        example: 'delivery',
      }),
    body: text({ min: 1, max: MAX_MESSAGE }).meta({
      description:
        'Stored and answered as sent: `{{visitor.name}}` and `{{member.name}}` are for the client to fill, and are empty where there is no name.',
      example: 'Dear {{visitor.name}}, we deliver within two days. {{member.name}}',
    }),
    tags: tags()
      .default([])
      .meta({ description: 'To be added with it.', example: ['delivery'] }),
    assignee: uuidReference().nullable().default(null).meta({
      description: 'The member who is to take care with it; null: as it is.',
      example: null,
    }),
    status: choice(REPLY_STATUSES).nullable().default(null).meta({
      description: 'To be set with it; null: as it is.',
      example: 'done',
    }),
    created_at: datetime(),
  })
  .meta({ id: 'Reply' });
export type Reply = z.infer<typeof Reply>;

/** The fields of a saved reply that a caller writes. */
export const NewReply = Reply.omit({ uuid: true, created_at: true }).meta({ id: 'NewReply' });
export type NewReply = z.infer<typeof NewReply>;
