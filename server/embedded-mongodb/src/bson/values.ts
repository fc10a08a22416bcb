import { serialize } from 'bson';
import { refused } from '../errors/mongo-error.ts';
import type { Doc } from './document.ts';

/** Stands where a path leads to nothing: neither null nor BSON's old `undefined`. */
export const MISSING: unique symbol = Symbol('missing');

/** BSON's type numbers with their `$type` names. */
export const TYPES = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const;

export type TypeName = keyof typeof TYPES;

const CLASSES: Record<string, TypeName> = {
  Int32: 'int',
  Double: 'double',
  Long: 'long',
  Decimal128: 'decimal',
  ObjectId: 'objectId',
  ObjectID: 'objectId',
  Binary: 'binData',
  BSONRegExp: 'regex',
  Timestamp: 'timestamp',
  MinKey: 'minKey',
  MaxKey: 'maxKey',
  BSONSymbol: 'symbol',
  DBRef: 'object',
};

/** MongoDB's type name of a value, `missing` for a path that leads to nothing. */
export function typeName(value: unknown): TypeName | 'missing' {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'undefined':
      return 'undefined';
    case 'number':
      return 'double';
    case 'bigint':
      return 'long';
    case 'symbol':
      return 'missing';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  // The classes have `_bsontype` on their prototype; an own field of that name is a user's document.
  if (Object.hasOwn(value as object, '_bsontype')) return 'object';
  const name = (value as { _bsontype?: string })._bsontype;
  if (name === undefined) return 'object';
  if (name === 'Code') return (value as { scope?: unknown }).scope ? 'javascriptWithScope' : 'javascript';
  return CLASSES[name] ?? 'object';
}

/** Whether MongoDB sees an embedded document (DBRef is only a document with known field names). */
export function isDocument(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && typeName(value) === 'object';
}

/** Whether the value is of one of the four number types. */
export function isNumber(value: unknown): boolean {
  switch (typeName(value)) {
    case 'int':
    case 'double':
    case 'long':
    case 'decimal':
      return true;
    default:
      return false;
  }
}

/** The fields of a document; bson's DBRef becomes the document that was stored. */
export function fieldsOf(value: Doc): Doc {
  if (value._bsontype !== 'DBRef' || Object.hasOwn(value, '_bsontype')) return value;
  const { collection, oid, db, fields } = value as {
    collection: string;
    oid: unknown;
    db?: string;
    fields?: Doc;
  };
  const plain: Doc = { $ref: collection, $id: oid };
  if (db !== undefined) plain.$db = db;
  return { ...plain, ...fields };
}

/** One field of a document, or `MISSING`. */
export function getField(doc: Doc, name: string): unknown {
  const fields = fieldsOf(doc);
  return Object.hasOwn(fields, name) ? fields[name] : MISSING;
}

/** Writes one field; a plain assignment to `__proto__` would not make a field. */
export function setField(doc: Doc, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(doc, name, { value, enumerable: true, configurable: true, writable: true });
  } else doc[name] = value;
}

/**
 * Adds a field at a document's end. JavaScript puts index-like names first, so a document where MongoDB would
 * have them elsewhere is refused rather than stored or sent in another order.
 */
export function appendField(doc: Doc, name: string, value: unknown): void {
  if (isArrayIndex(name)) {
    const last = Object.keys(doc).at(-1);
    if (last !== undefined && !(isArrayIndex(last) && Number(last) < Number(name))) {
      throw refused(`the numeric field name '${name}' behind other fields`);
    }
  }
  setField(doc, name, value);
}

function isArrayIndex(name: string): boolean {
  return isIndex(name) && Number(name) < 4294967295;
}

/** A copy of a document one level deep, as a plain object. */
export function copyFields(doc: Doc): Doc {
  const source = fieldsOf(doc);
  const copy: Doc = {};
  for (const name of Object.keys(source)) setField(copy, name, source[name]);
  return copy;
}

/** MongoDB's truth: false, null, undefined, missing and zero are false, everything else is true. */
export function isTrue(value: unknown): boolean {
  switch (typeName(value)) {
    case 'missing':
    case 'null':
    case 'undefined':
      return false;
    case 'bool':
      return value as boolean;
    case 'int':
    case 'double':
    case 'decimal':
    case 'long':
      return !/^-?0+(\.0*)?(E[+-]?\d+)?$/.test(String(value));
    default:
      return true;
  }
}

/** Whether two values are stored as the same bytes, which is more than being equal. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return typeName(a) === typeName(b) && Buffer.compare(serialize({ a }), serialize({ a: b })) === 0;
}

/** Whether a path part is an array index as MongoDB spells it: digits, no leading zero. */
export function isIndex(part: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(part);
}

/** Null, missing and BSON's old undefined: what expressions treat as "no value". */
export function isNullish(value: unknown): boolean {
  return value === null || value === undefined || value === MISSING;
}
