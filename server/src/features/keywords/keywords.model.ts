import {
  Keyword,
  KeywordNotification,
  MAX_KEYWORD,
  MAX_MESSAGE,
  Message,
  type Transcript,
  text,
} from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../database/document.ts';
import { defineModel } from '../../database/model.ts';
import { count, identifier, listOf, open } from '../../database/stored-shapes.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';

export interface StoredKeyword extends Stored<Keyword>, EventHolder {
  account: string;
  /** The form in which keywords are compared, with messages and with each other. */
  folded: string;
}

/** What a keyword may hold (database/collection-data.ts). */
export const KEYWORD_SHAPES = { keyword: Keyword.shape.keyword, folded: text({ max: MAX_KEYWORD }) };

export type KeywordModel = Model<StoredKeyword>;

export const keywordModel = defineModel<StoredKeyword>(
  'Keyword',
  { ...storedFields(Keyword), account: String, folded: String, ...outboxFields },
  [[{ account: 1, folded: 1 }, { unique: true }], [{ account: 1, created_at: -1, _id: -1 }], outboxIndex],
);

export interface StoredNotification extends EventHolder {
  _id: string;
  account: string;
  room: string;
  /** The last messages of the room up to and with the one that raised it, by uuid. Their words stand in them alone. */
  messages?: string[];
  keywords: string[];
  /** How many there were in all. An older version kept all of them in `keywords`. */
  keyword_count?: number;
  created_at: Date;
  /** When the message was said that raised it; absent in those of an older version. */
  event_at?: Date;
  sent_at: Date | null;
  /** Only of an older version, which kept copies in place of `messages`. */
  customer_request?: string;
  nickname?: string;
  email?: string;
  transcripts?: Transcript[];
}

/** What a notification may hold. */
export const NOTIFICATION_SHAPES = {
  nickname: Message.shape.nickname,
  email: Message.shape.email,
  customer_request: text({ max: MAX_MESSAGE }),
  messages: listOf(identifier()),
  keywords: listOf(text({ max: MAX_KEYWORD })),
  keyword_count: count(),
  transcripts: listOf(open({})),
};

export type NotificationModel = Model<StoredNotification>;

export const notificationModel = defineModel<StoredNotification>(
  'KeywordNotification',
  {
    ...storedFields(KeywordNotification, ['room']),
    account: String,
    room: String,
    messages: { type: [String], default: undefined },
    event_at: Date,
    ...outboxFields,
  },
  [[{ account: 1, created_at: -1, _id: -1 }], [{ room: 1, created_at: 1 }], outboxIndex],
);
