import { Keyword, KeywordNotification } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../database/document.ts';
import { defineModel } from '../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../outbox/events.ts';

export interface StoredKeyword extends Stored<Keyword> {
  account: string;
  /** The form in which keywords are compared, with messages and with each other. */
  folded: string;
}

export type KeywordModel = Model<StoredKeyword>;

export const keywordModel = defineModel<StoredKeyword>(
  'Keyword',
  { ...storedFields(Keyword), account: String, folded: String },
  [[{ account: 1, folded: 1 }, { unique: true }], [{ account: 1, created_at: -1, _id: -1 }]],
);

export interface StoredNotification extends Stored<KeywordNotification>, EventHolder {
  account: string;
  room: string;
}

export type NotificationModel = Model<StoredNotification>;

export const notificationModel = defineModel<StoredNotification>(
  'KeywordNotification',
  { ...storedFields(KeywordNotification), account: String, room: String, ...outboxFields },
  [[{ account: 1, created_at: -1, _id: -1 }], [{ room: 1 }], outboxIndex],
);
