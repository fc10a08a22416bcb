import { type ConversationChange, type MemberReference, TimelineEvent } from '@parlor/shared';
import type { Model } from 'mongoose';
import { storedFields } from '../../../database/document.ts';
import { defineModel } from '../../../database/model.ts';

/** What somebody did with a conversation. Its id is that of the event which told of it: it stands here once. */
export interface StoredConversationEvent {
  _id: string;
  account: string;
  room: string;
  at: Date;
  by: MemberReference | null;
  changes: ConversationChange[];
}

export type ConversationEventModel = Model<StoredConversationEvent>;

export const conversationEventModel = defineModel<StoredConversationEvent>(
  'ConversationEvent',
  { ...storedFields(TimelineEvent, ['kind']), account: String, room: String },
  [[{ account: 1, at: -1, _id: -1 }], [{ room: 1, at: -1, _id: -1 }]],
);
