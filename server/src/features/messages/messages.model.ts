import { Message } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../database/document.ts';
import { defineModel } from '../../database/model.ts';
import { identifier, listOf, memberThen } from '../../database/stored-shapes.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';
import type { AsWritten } from '../members/avatars/current-avatars.ts';
import { answerText } from '../rooms/bot-state.ts';
import { answerFields, answerIndex, type WithAnswer } from './answer.ts';

export interface StoredMessage extends Stored<AsWritten<Message>>, EventHolder, WithAnswer {
  account: string;
  room: string;
  /** Its room's; absent until access/room-widgets.ts has found it. */
  widget?: string;
}

/** What a message may hold (database/collection-data.ts). */
export const MESSAGE_SHAPES = {
  nickname: Message.shape.nickname,
  email: Message.shape.email,
  phone_number: Message.shape.phone_number,
  body: Message.shape.body,
  support_answer: answerText(),
  asked_from: listOf(identifier(), 2),
  author: memberThen(),
};

export type MessageModel = Model<StoredMessage>;

export const messageModel = defineModel<StoredMessage>(
  'Message',
  {
    ...storedFields(Message),
    account: String,
    room: String,
    widget: String,
    ...answerFields,
    ...outboxFields,
  },
  [
    [{ account: 1, sent_at: -1, _id: -1 }],
    [{ room: 1, sent_at: -1, _id: -1 }],
    [{ widget: 1, sent_at: -1, _id: -1 }],
    answerIndex,
    outboxIndex,
  ],
);
