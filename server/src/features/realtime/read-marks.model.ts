import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';

/** How far one side of a conversation has read. */
export interface StoredReadMark extends EventHolder {
  /** `<room>:<sender>`. */
  _id: string;
  account: string;
  room: string;
  sender: 'visitor' | 'person';
  /** The last message that was read, and when it was sent. */
  message: string;
  sent_at: Date;
}

export type ReadMarkModel = Model<StoredReadMark>;

export const readMarkModel = defineModel<StoredReadMark>(
  'ReadMark',
  {
    _id: String,
    account: String,
    room: String,
    sender: String,
    message: String,
    sent_at: Date,
    ...outboxFields,
  },
  [[{ room: 1 }], [{ account: 1 }], outboxIndex],
);
