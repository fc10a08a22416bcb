/** A collection as the catalog knows it. */

import type { Doc } from '../bson/document.ts';
import { type IndexField, type IndexSpec, indexFields } from '../index-key/index-spec.ts';
import type { Matcher } from '../matcher/matcher.ts';
import { compileMatch } from '../matcher/matcher.ts';

/** An index with what is derived from its definition. */
export interface Index extends IndexSpec {
  fields: IndexField[];
  paths: string[][];
  /** Whether a document belongs into a partial index. */
  covers: Matcher | undefined;
}

export interface Collection {
  id: number;
  db: string;
  name: string;
  ns: string;
  uuid: Uint8Array;
  options: Doc;
  /** The `_id` index first. */
  indexes: Index[];
  count: number;
  bytes: number;
}

/** Adds what is derived to an index definition. */
export function deriveIndex(spec: IndexSpec): Index {
  const fields = indexFields(spec.key);
  return {
    ...spec,
    fields,
    paths: fields.map((field) => field.parts),
    covers: spec.partialFilterExpression && compileMatch(spec.partialFilterExpression),
  };
}

/** The definition of the index that every collection has: the records themselves are ordered by it. */
export const ID_INDEX: IndexSpec = {
  id: 0,
  name: '_id_',
  key: { _id: 1 },
  unique: true,
  sparse: false,
  isSparseByKey: true,
  partialFilterExpression: undefined,
  expireAfterSeconds: undefined,
  multikey: [false],
};
