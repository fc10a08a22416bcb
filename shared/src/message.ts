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
import { MAX_MESSAGE, MAX_NICKNAME } from './limits.ts';
import { avatarUrl, MemberReference } from './member-reference.ts';
import { RoomReference } from './room-reference.ts';

/** The member who wrote something, as it was called then, with the picture that it has now; visitors see no more of a member. */
export const Author = MemberReference.extend({ avatar: avatarUrl() }).meta({ id: 'Author', readOnly: true });
export type Author = z.infer<typeof Author>;

/** The same in events, with the picture of that moment: absent in those of a server that was older. */
export const AuthorThen = Author.extend({ avatar: avatarUrl().default(null) });

/** A message as a Room shows it. */
export const Message = z
  .object({
    uuid: uuid(),
    nickname: optionalText(MAX_NICKNAME).meta({ example: 'Ada' }),
    email: optionalEmail(),
    phone_number: optionalPhone(),
    body: text({ min: 1, max: MAX_MESSAGE }).meta({
      minLength: 1,
      maxLength: MAX_MESSAGE,
      example: 'Do you deliver?',
    }),
    is_support_sender: boolean().default(false),
    is_bot: boolean().default(false).meta({ readOnly: true }),
    sent_at: datetime(),
    // That of the example is a visitor's, which has none.
    author: Author.optional().meta({ example: undefined }),
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

/** A message as lists and a single message show it: with its room, without which nobody could answer. */
export const MessageInRoom = Message.extend({ room: RoomReference }).meta({ id: 'MessageInRoom' });
export type MessageInRoom = z.infer<typeof MessageInRoom>;

/** What a room's bot adds to the answer about a customer's message (docs/contract.md#message). */
const answered = {
  support_answer: z.string().optional().meta({
    description: "The bot's answer, where the room has a bot; empty until there is one.",
    example: 'We do, on Sundays too.',
  }),
};

/** The answer to POST /api/v1/messages/: with the bot's answer when it came in time. */
export const CreatedMessageWithAnswer = CreatedMessage.extend(answered).meta({
  id: 'CreatedMessageWithAnswer',
});

/** The answer to GET /api/v1/messages/<uuid>/. */
export const MessageWithAnswer = MessageInRoom.extend(answered).meta({ id: 'MessageWithAnswer' });

/** The body of POST /api/v1/messages/. */
export const NewMessage = Message.omit({ uuid: true, sent_at: true, is_bot: true, author: true })
  .extend({ room: nested({ uuid: uuidReference() }) })
  .meta({ id: 'NewMessage' });
export type NewMessage = z.infer<typeof NewMessage>;
