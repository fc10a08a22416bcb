import { z } from 'zod';
import { boolean, datetime, integer, optionalText, text, uuid } from './fields.ts';
import { Message } from './message.ts';

/** A conversation (docs/contract.md#room). `messages` holds the latest ones in the order sent. */
export const Room = z
  .object({
    label: text({ min: 1, max: 64 })
      .regex(/^[A-Za-z0-9_-]*$/, {
        error: 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
      })
      .meta({ minLength: 1, maxLength: 64, example: 'spring-sale' }),
    uuid: uuid(),
    name: optionalText(200).meta({ example: 'A question about delivery' }),
    rating: integer({ min: 1, max: 5 }).nullable().default(null),
    is_bot_use: boolean().default(false),
    created_at: datetime(),
    messages: z.array(Message).meta({ readOnly: true }),
  })
  .meta({ id: 'Room' });
export type Room = z.infer<typeof Room>;

/** The fields of a room that a caller writes; without a label the server makes one. */
export const NewRoom = Room.omit({ uuid: true, created_at: true, messages: true })
  .extend({ label: Room.shape.label.optional() })
  .meta({ id: 'NewRoom' });
export type NewRoom = z.infer<typeof NewRoom>;
