/** How deep fields and elements may lie in each other: MongoDB's limits, by its number and in its words. */
import { DBRef } from 'bson';
import { MongoError } from '../errors/mongo-error.ts';
import type { Doc } from './document.ts';

/** Of a document that is stored. */
const MAX_STORED_LEVELS = 180;

/** Of a command, where MongoDB closes the connection. */
const MAX_COMMAND_LEVELS = 200;

/** What a level takes at least in BSON, where its field has no name: a document that is smaller has fewer. */
const LEVEL_BYTES = 7;

const isShallow = (raw: Uint8Array, levels: number): boolean => raw.length < LEVEL_BYTES * levels;

/** The fields of a document or the elements of an array; undefined: it is neither. */
function insideOf(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof DBRef) return { ...value.fields, $id: value.oid };
  return '_bsontype' in value || value instanceof Date || ArrayBuffer.isView(value) ? undefined : value;
}

/** Whether there are more levels in `value` than that; its own fields, or elements, are the first one. */
function isDeeperThan(value: unknown, levels: number, counts = (_: unknown): boolean => true): boolean {
  const inside = insideOf(value) as Doc | undefined;
  for (const name in inside) {
    const one = inside[name];
    if ((levels <= 0 && counts(one)) || isDeeperThan(one, levels - 1, counts)) return true;
  }
  return false;
}

const isNested = (value: unknown): boolean => insideOf(value) !== undefined;

/** Refuses a new document that is nested too deep. @param raw the document as BSON */
export function checkNewLevels(doc: Doc, raw: Uint8Array): void {
  if (isShallow(raw, MAX_STORED_LEVELS) || !isDeeperThan(doc, MAX_STORED_LEVELS)) return;
  const text = `cannot insert document because it exceeds ${MAX_STORED_LEVELS} levels of nesting`;
  throw new MongoError(15, 'Overflow', text);
}

/**
 * Refuses a change that nests a document too deep.
 * @param raw the changed document as BSON
 * @param old the document before: one that an earlier version took is changed all the same, or nothing could be erased from it
 */
export function checkChangedLevels(doc: Doc, raw: Uint8Array, old: Doc = {}): void {
  if (isShallow(raw, MAX_STORED_LEVELS) || !isDeeperThan(doc, MAX_STORED_LEVELS)) return;
  if (isDeeperThan(old, MAX_STORED_LEVELS)) return;
  throw new MongoError(15, 'Overflow', `Document exceeds maximum nesting depth of ${MAX_STORED_LEVELS}`);
}

/** Refuses a command that is nested too deep: of that, documents and arrays count alone. @param raw the command as BSON */
export function checkCommandLevels(body: Doc, raw: Uint8Array): void {
  if (isShallow(raw, MAX_COMMAND_LEVELS) || !isDeeperThan(body, MAX_COMMAND_LEVELS, isNested)) return;
  throw new MongoError(15, 'Overflow', `a command exceeds ${MAX_COMMAND_LEVELS} levels of nesting`);
}
