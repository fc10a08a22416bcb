import type { SearchKind } from '@parlor/shared';
import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/**
 * The words of up to 1 000 objects of one kind and account: an index entry for each word of them all, not of each object.
 * A fresh one holds what events have brought within moments. Sealed ones divide the rest by their keys: each begins at `from`,
 * and ends where the next one begins.
 */
export interface StoredSegment {
  _id: string;
  account: string;
  kind: SearchKind;
  is_fresh: boolean;
  made_at: Date;
  /** The key of its oldest line; of a sealed one, as it was when it was made. */
  from: string;
  /** How many lines it has. */
  count: number;
  /** Hashes of what its words begin with (index-keys.ts); a fresh one has none. */
  keys?: number[];
  /** The rooms and leads that its lines are about: erasure goes by them. */
  subjects: string[];
  widgets: string[];
  /** Newest first (lines.ts). */
  lines: string;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

export type SegmentModel = Model<StoredSegment>;

export const segmentModel = defineModel<StoredSegment>(
  'SearchSegment',
  {
    _id: String,
    account: String,
    kind: String,
    is_fresh: Boolean,
    made_at: Date,
    from: String,
    count: Number,
    keys: { type: [Number], default: undefined },
    subjects: [String],
    widgets: [String],
    lines: String,
    version: Number,
  },
  [
    [{ account: 1, kind: 1, is_fresh: 1, from: -1 }],
    [{ account: 1, kind: 1, keys: 1, from: -1 }],
    [{ account: 1, kind: 1, is_fresh: 1, widgets: 1, from: -1 }],
    [{ subjects: 1, _id: 1 }],
    [{ is_fresh: 1, made_at: 1 }],
  ],
);

/**
 * How far the index has come with what was there before it: one document for all accounts, which go by their ids, and
 * one for each account that was imported since.
 */
export interface SearchProgress {
  /** `all` with a number, or the account's id. */
  _id: string;
  /** The account that is gone through now, and how far: undefined before the first step. */
  account?: string;
  kind?: SearchKind;
  /** The key of the last object; what is older follows. */
  key?: string;
  /** Everything has been gone through. */
  is_done: boolean;
  /** Until when one process has it. */
  leased_until: Date;
  /** The log of recent events has been looked through up to here. */
  seen_at?: Date;
}

export type SearchProgressModel = Model<SearchProgress>;

export const searchProgressModel = defineModel<SearchProgress>(
  'SearchProgress',
  {
    _id: String,
    account: String,
    kind: String,
    key: String,
    is_done: Boolean,
    leased_until: Date,
    seen_at: Date,
  },
  [[{ is_done: 1, leased_until: 1 }]],
);

export const searchModels = (connection: Parameters<typeof segmentModel>[0]) => ({
  searchSegments: segmentModel(connection),
  searchProgress: searchProgressModel(connection),
});
