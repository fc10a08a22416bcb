import type { Doc } from '../bson/document.ts';
/** What an index is: its definition as createIndexes gives it, and what storage knows of it beside. */
export interface IndexSpec {
  /** The prefix of the index's entries in storage, never used twice. The `_id` index has no entries: 0. */
  id: number;
  name: string;
  /** Field path -> 1 or -1, as given (so with BSON number objects), in order. */
  key: Doc;
  unique: boolean;
  sparse: boolean;
  /**
   * Whether a sparse index leaves out each key without any of its fields, as MongoDB does. False for an older one:
   * until it is made anew, it leaves out documents without any of them alone, by which its keys were made.
   */
  isSparseByKey: boolean;
  partialFilterExpression: Doc | undefined;
  expireAfterSeconds: unknown;
  /** Per field: whether any document ever had an array on its path. Never reset. */
  multikey: boolean[];
}

/** An index as it is asked for. */
export type NewIndex = Omit<IndexSpec, 'id' | 'multikey' | 'isSparseByKey'>;

/** The fields of an index in order, split into path parts, with their directions. */
export interface IndexField {
  path: string;
  parts: string[];
  descending: boolean;
}

/** Reads the key pattern of an index. */
export function indexFields(key: Doc): IndexField[] {
  return Object.entries(key).map(([path, direction]) => ({
    path,
    parts: path.split('.'),
    descending: Number(direction) < 0,
  }));
}
