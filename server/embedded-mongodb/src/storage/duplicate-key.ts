/** MongoDB's error for a taken unique key, with its exact wording. */

import { describeValue } from '../bson/describe-value.ts';
import type { Doc } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import type { Collection, Index } from './collection.ts';

/** The error 11000 with `keyPattern` and `keyValue`; `values` are those of the index's fields in order. */
export function duplicateKey(collection: Collection, index: Index, values: readonly unknown[]): MongoError {
  const keyValue: Doc = {};
  index.fields.forEach((field, i) => {
    keyValue[field.path] = values[i] ?? null;
  });
  const shown = index.fields.map((field, i) => `${field.path}: ${describeValue(values[i])}`).join(', ');
  const message = `E11000 duplicate key error collection: ${collection.ns} index: ${index.name} dup key: { ${shown} }`;
  return new MongoError(11000, 'DuplicateKey', message, { keyPattern: index.key, keyValue });
}
