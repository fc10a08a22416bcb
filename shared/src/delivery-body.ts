import { z } from 'zod';
import { ConversationUpdated } from './conversation.ts';
import type { EventName } from './events.ts';
import { KeywordNotification } from './keyword.ts';
import { Lead } from './lead.ts';
import { CreatedMessage, Message } from './message.ts';
import { Room } from './room.ts';
import { RoomReference } from './room-reference.ts';
import { Webhook } from './webhook.ts';

/** What subscribers are told of a message. */
export const AddedMessage = CreatedMessage.extend({
  author: Message.shape.author,
  room: RoomReference,
}).meta({
  id: 'AddedMessage',
});

/** What subscribers are told of a lead that was changed. */
export const ChangedLead = Lead.extend({
  changed: z
    .array(z.string())
    .meta({ description: 'The names of the fields that were changed.', example: ['email'] }),
}).meta({ id: 'ChangedLead' });

const bodyOf = <T extends z.ZodType>(data: T) => z.object({ data, webhook: Webhook });

/** The whole body of a delivery, by the event that it tells of. */
export const DELIVERY_BODIES = {
  'chat.added': bodyOf(Room),
  'message.added': bodyOf(AddedMessage),
  'lead.added': bodyOf(Lead),
  'lead.changed': bodyOf(ChangedLead),
  'keyword_notification.added': bodyOf(KeywordNotification),
  'conversation.updated': bodyOf(ConversationUpdated),
} as const satisfies Record<EventName, z.ZodType>;
