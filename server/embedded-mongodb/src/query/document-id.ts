/** The `_id` of a document that is stored: allowed, and the first field. */
import type { Doc } from '../bson/document.ts';
import { typeName } from '../bson/values.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';

/** Refuses values that MongoDB does not take for an `_id`. */
export function checkId(id: unknown): void {
  const type = typeName(id);
  if (type === 'object') checkIdFields(id as Doc);
  if (!['array', 'regex', 'undefined'].includes(type)) return;
  throw new MongoError(53, 'InvalidIdField', `The '_id' value cannot be of type ${type}`);
}

function checkIdFields(id: Doc): void {
  for (const name of Object.keys(id)) {
    if (!name.startsWith('$') || (id as { _bsontype?: string })._bsontype === 'DBRef') continue;
    const text = `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`;
    throw new MongoError(52, 'DollarPrefixedFieldName', text);
  }
}

/** Refuses a document whose `_id` a JavaScript object keeps behind names like "7". */
export function checkIdFirst(doc: Doc): void {
  if (Object.keys(doc)[0] !== '_id') throw refused('a field named like an array index before _id');
}
