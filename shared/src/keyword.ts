import { z } from 'zod';
import { datetime, text, uuid } from './fields.ts';
import { MAX_KEYWORD, MAX_NAMED_KEYWORDS } from './limits.ts';
import { Message } from './message.ts';
import { RoomReference } from './room-reference.ts';

/**
 * A word or phrase whose mention by a customer raises a notification (docs/contract.md#keyword-notification).
 */
export const Keyword = z
  .object({
    uuid: uuid(),
    keyword: text({ min: 1, max: MAX_KEYWORD })
      .refine((value) => /[\p{L}\p{N}]/u.test(value), {
        error: 'A keyword must hold a letter or a digit.',
      })
      .meta({ minLength: 1, maxLength: MAX_KEYWORD, example: 'refund' }),
    created_at: datetime(),
  })
  .meta({ id: 'Keyword' });
export type Keyword = z.infer<typeof Keyword>;

/** The fields of a keyword that a caller writes. */
export const NewKeyword = Keyword.omit({ uuid: true, created_at: true }).meta({ id: 'NewKeyword' });
export type NewKeyword = z.infer<typeof NewKeyword>;

/** A line of the conversation that a notification tells of. */
export const Transcript = Message.pick({
  nickname: true,
  body: true,
  is_support_sender: true,
  sent_at: true,
}).meta({ id: 'Transcript' });
export type Transcript = z.infer<typeof Transcript>;

/** A customer's message mentioned keywords (specification 2, docs/contract.md#keyword-notification). */
export const KeywordNotification = z
  .object({
    uuid: uuid(),
    customer_request: z.string().meta({
      description: 'The message; empty once it has been deleted.',
      example: 'I want a refund.',
    }),
    keywords: z.array(z.string()).meta({
      readOnly: true,
      maxItems: MAX_NAMED_KEYWORDS,
      description:
        'The keywords that it mentions, as configured: the first ones in the order of their making.',
      example: ['refund'],
    }),
    keyword_count: z.int().min(1).meta({
      readOnly: true,
      description: 'How many keywords it mentions (added).',
      example: 1,
    }),
    nickname: Message.shape.nickname,
    email: Message.shape.email,
    transcripts: z.array(Transcript).meta({ readOnly: true }),
    room: RoomReference.nullable().meta({
      description: 'The conversation; null once it has been deleted.',
      example: { uuid: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11', label: 'spring-sale' },
    }),
    created_at: datetime(),
    sent_at: datetime().nullable().meta({
      description: 'When it was first delivered to a subscriber or mailed; null until then.',
    }),
  })
  .meta({ id: 'KeywordNotification' });
export type KeywordNotification = z.infer<typeof KeywordNotification>;
