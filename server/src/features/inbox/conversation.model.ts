import type { InboxStatus, WaitingOn } from '@parlor/shared';
import { type Model, Schema } from 'mongoose';
import { defineModel } from '../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';
import type { Heard } from './waiting.ts';

/** How people work on a room. Its uuid is the room's; what the room says stands here too, to be found by. */
export interface StoredConversation extends EventHolder {
  account: string;
  /** The room's; empty where its visitor came through none. */
  widget: string;
  label: string;
  rating: number | null;
  is_bot_use: boolean;
  status: InboxStatus;
  /** null unless it is snoozed. */
  snoozed_until: Date | null;
  /** When `status` was set last. */
  status_at: Date;
  waiting_on: WaitingOn | null;
  waiting_since: Date | null;
  first_response_at: Date | null;
  assignee: string | null;
  /** When `assignee` was set last. */
  assignee_at: Date;
  tags: string[];
  /** The members who have yet to read it. */
  unread: string[];
  heard: Heard;
  /** The visitor's latest message that says who it is; empty: none does. */
  introduced_in: string;
  created_at: Date;
  updated_at: Date;
  /**
   * The order of `waiting`, as a time so that pages go by it: what waits on us comes first, the longest waiting at the
   * top, and then the rest by `updated_at`.
   */
  rank: Date;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

export type ConversationModel = Model<StoredConversation>;

const byRank = { rank: -1, _id: -1 } as const;
const byUpdate = { updated_at: -1, _id: -1 } as const;

export const conversationModel = defineModel<StoredConversation>(
  'Conversation',
  {
    _id: String,
    account: String,
    widget: String,
    label: String,
    rating: Number,
    is_bot_use: Boolean,
    status: String,
    snoozed_until: Date,
    status_at: Date,
    waiting_on: String,
    waiting_since: Date,
    first_response_at: Date,
    assignee: String,
    assignee_at: Date,
    tags: [String],
    unread: [String],
    heard: Schema.Types.Mixed,
    introduced_in: String,
    created_at: Date,
    updated_at: Date,
    rank: Date,
    version: Number,
    ...outboxFields,
  },
  [
    ...[byRank, byUpdate].flatMap((order): [Record<string, 1 | -1>][] => [
      [{ account: 1, status: 1, ...order }],
      [{ widget: 1, status: 1, ...order }],
      [{ account: 1, assignee: 1, status: 1, ...order }],
      [{ account: 1, tags: 1, status: 1, ...order }],
      [{ account: 1, rating: 1, status: 1, ...order }],
    ]),
    // What numbers are counted by. A message moves no entry of these: `unread` may have one for each of 100 members.
    ...['assignee', 'tags', 'unread'].map((field): [Record<string, 1 | -1>] => [
      { account: 1, [field]: 1, status: 1, widget: 1 },
    ]),
    [{ account: 1, created_at: -1, _id: -1 }],
    [{ widget: 1, created_at: -1, _id: -1 }],
    [{ snoozed_until: 1 }],
    outboxIndex,
  ],
);
