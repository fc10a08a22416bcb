/** Reading a command's fields, with MongoDB's errors for wrong ones. */

import type { Doc } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import { typeName } from '../bson/values.ts';
import { MongoError } from '../errors/mongo-error.ts';

/** The error for a field of the wrong type. */
export function wrongType(field: string, value: unknown, expected: string): MongoError {
  const text = `BSON field '${field}' is the wrong type '${typeName(value)}', expected type '${expected}'`;
  return new MongoError(14, 'TypeMismatch', text);
}

/** A field that holds an object; undefined when it is missing or null. */
export function readDoc(body: Doc, name: string): Doc | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isDoc(value)) throw wrongType(name, value, 'object');
  return value;
}

/** A field that holds a whole number, of any BSON number type. */
export function readInteger(body: Doc, name: string, fallback: number): number {
  const value = body[name];
  if (value === undefined || value === null) return fallback;
  const number = toNumber(value);
  if (number === undefined) throw wrongType(name, value, 'long');
  // As MongoDB makes a whole number of 64 bits of it, near enough for what is counted here.
  if (Number.isNaN(number)) return 0;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(number)));
}

/** A field that holds a whole number, and none with a fraction. */
export function readWhole(body: Doc, name: string, fallback: number): number {
  const value = body[name];
  if (value === undefined || value === null) return fallback;
  const number = toNumber(value);
  if (number === undefined) throw wrongType(name, value, 'long');
  if (Number.isInteger(number) && Math.abs(number) < 2 ** 63) return number;
  throw new MongoError(9, 'FailedToParse', `Expected an integer: ${name}: ${number}`);
}

/** A whole number that must not be negative. */
export function readCount(body: Doc, name: string, fallback: number): number {
  const value = readInteger(body, name, fallback);
  if (value < 0) {
    const text = `BSON field '${name}' value must be >= 0, actual value '${value}'`;
    throw new MongoError(2, 'BadValue', text);
  }
  return value;
}

/** A field that holds true or false; MongoDB takes numbers for them too. */
export function readBoolean(body: Doc, name: string, fallback: boolean): boolean {
  const value = body[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'boolean') return value;
  const number = toNumber(value);
  if (number === undefined) throw wrongType(name, value, 'bool');
  return number !== 0;
}

/** A field that holds a string. */
export function readString(body: Doc, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongType(name, value, 'string');
  return value;
}

/** A field that holds an array; MongoDB passes over the nulls in it. */
export function readArray(body: Doc, name: string): unknown[] | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongType(name, value, 'array');
  return value.includes(null) ? value.filter((one) => one !== null) : value;
}

/** The error for a field that has to be there. */
export function missingField(field: string): MongoError {
  return new MongoError(40414, 'IDLFailedToParse', `BSON field '${field}' is missing but a required field`);
}

/** The index that a command has to take, by name or key; undefined when it may choose. */
export function readHint(body: Doc): unknown {
  const { hint } = body;
  if (hint === undefined || (isDoc(hint) && Object.keys(hint).length === 0)) return undefined;
  if (typeof hint !== 'string' && !isDoc(hint)) {
    throw new MongoError(9, 'FailedToParse', 'Hint must be a string or an object');
  }
  return hint;
}

/** The name of the collection that a command is about: the value of its first field. */
export function readCollection(body: Doc, command: string): string {
  const value = body[command];
  if (typeof value !== 'string') {
    throw new MongoError(73, 'InvalidNamespace', `collection name has invalid type ${typeName(value)}`);
  }
  return value;
}

/** Whether a value is an embedded document. */
export function isDoc(value: unknown): value is Doc {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return (value as { _bsontype?: unknown })._bsontype === undefined && !(value instanceof Date);
}
