import { Reply } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../../database/document.ts';
import { defineModel } from '../../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../../events/events.ts';

export interface StoredReply extends Stored<Reply>, EventHolder {
  account: string;
  /** The shortcut in the form in which shortcuts are compared. */
  folded: string;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

export type ReplyModel = Model<StoredReply>;

export const replyModel = defineModel<StoredReply>(
  'Reply',
  {
    ...storedFields(Reply, ['tags']),
    tags: [String],
    account: String,
    folded: String,
    version: Number,
    ...outboxFields,
  },
  [[{ account: 1, folded: 1 }, { unique: true }], [{ account: 1, created_at: -1, _id: -1 }], outboxIndex],
);
