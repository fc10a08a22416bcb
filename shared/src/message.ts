import { z } from 'zod';
import {
  boolean,
  datetime,
  nested,
  optionalEmail,
  optionalPhone,
  optionalText,
  text,
  uuid,
  uuidReference,
} from './fields.ts';

/** A message as lists, a single message and a Room show it (contract 3). */
export const Message = z
  .object({
    uuid: uuid(),
    nickname: optionalText(150).meta({ example: 'Ada' }),
    email: optionalEmail(),
    phone_number: optionalPhone(),
    body: text({ min: 1, max: 10_000 }).meta({ minLength: 1, maxLength: 10_000, example: 'Do you deliver?' }),
    is_support_sender: boolean().default(false),
    is_bot: boolean().default(false).meta({ readOnly: true }),
    sent_at: datetime(),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

/** The answer to POST /api/v1/messages/: exactly these six fields; the room is not echoed (specification 4). */
export const CreatedMessage = Message.pick({
  uuid: true,
  nickname: true,
  email: true,
  body: true,
  is_support_sender: true,
  sent_at: true,
}).meta({ id: 'CreatedMessage' });
export type CreatedMessage = z.infer<typeof CreatedMessage>;

/** The body of POST /api/v1/messages/. */
export const NewMessage = Message.omit({ uuid: true, sent_at: true, is_bot: true })
  .extend({ room: nested({ uuid: uuidReference() }) })
  .meta({ id: 'NewMessage' });
export type NewMessage = z.infer<typeof NewMessage>;
