/** Checks which fields a command or a statement has, and what they hold, before anything is done. */
import type { Doc } from '../bson/document.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';
import type { Command } from './command.ts';
import type { Fields } from './field-types.ts';
import { GENERIC_FIELDS } from './generic-fields.ts';

/** Fields by name, such as those of a document. */
type Entries = Iterable<readonly [field: string, value: unknown]>;

/** Checks a command's own fields and those that every command may carry. `name` is what it was called by. */
export function checkCommandFields(name: string, command: Command, entries: Entries): void {
  for (const [field, value] of entries) {
    if (field === name || checkField(name, command.fields, field, value)) continue;
    if (checkField(name, GENERIC_FIELDS, field, value)) continue;
    if (command.refused && checkField(name, command.refused, field, value)) {
      if (value === null || value === false) continue;
      throw refused(`${name}.${field}`);
    }
    if (TRANSACTION_FIELDS.has(field)) {
      const text = 'Transaction numbers are only allowed on a replica set member or mongos';
      throw new MongoError(20, 'IllegalOperation', text);
    }
    throw unknownField(`${name}.${field}`);
  }
}

/** Checks the fields of a statement or option, such as `update.updates`. */
export function checkFields(name: string, fields: Fields, doc: Doc): void {
  for (const field of Object.keys(doc)) {
    if (!checkField(name, fields, field, doc[field])) throw unknownField(`${name}.${field}`);
  }
}

/** Whether there is such a field. Throws when it holds what it may not. */
export function checkField(name: string, fields: Fields, field: string, value: unknown): boolean {
  const type = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (type && !type.accepts(value)) throw type.error(`${name}.${field}`, value);
  return type !== undefined;
}

function unknownField(field: string): MongoError {
  return new MongoError(40415, 'IDLUnknownField', `BSON field '${field}' is an unknown field.`);
}

const TRANSACTION_FIELDS = new Set(['txnNumber', 'startTransaction', 'autocommit']);
