/** What this engine can't keep exactly is refused when it comes in, by name. */
import type { Timestamp } from 'bson';
import { type MongoError, refused } from '../errors/mongo-error.ts';
import { type Doc, decode, encode } from './document.ts';
import { countElements } from './elements.ts';
import { typeName } from './values.ts';

/**
 * Refuses a document that would not come out of a JavaScript object as it went in: fields named like array
 * indexes that do not stand first and ascending, a name that occurs twice, BSON's undefined, dates beyond
 * JavaScript's range. `raw` is the document as the client sent it.
 */
export function checkStorable(doc: Doc, raw: Uint8Array): void {
  const seen = inspect(doc);
  if (seen.fault) throw refuse(seen.fault);
  if (countElements(raw) !== Object.keys(doc).length) throw refuse('a field name occurs twice');
  if (seen.mayLoseOrder && !encode(doc).equals(raw)) throw refuse(LOST_ORDER);
}

/**
 * Refuses an empty timestamp at the top of a document that is inserted or replaces another one: MongoDB puts its own clock
 * there, with a counter that only it has. In `_id`, in documents inside, and where an operator sets one, it stays as it is.
 */
export function checkTimestamps(fields: Doc, where: string): void {
  for (const [name, value] of Object.entries(fields)) {
    if (name !== '_id' && typeName(value) === 'timestamp' && (value as Timestamp).isZero()) {
      throw refused(`an empty timestamp in ${where}`);
    }
  }
}

/** Refuses a command whose filters or changes would be read differently than they were sent. */
export function checkReadable(body: Doc, raw: Uint8Array): void {
  const seen = inspect(body);
  if (seen.isMasked) throw refuse(seen.fault as string);
  if (seen.mayLoseOrder && !encode(decode(raw)).equals(raw)) throw refuse(LOST_ORDER);
}

const LOST_ORDER = 'field names like array indexes, or those of a DBRef, in an order that would be lost';

interface Inspection {
  mayLoseOrder: boolean;
  /** A field that would be taken for a BSON type. */
  isMasked: boolean;
  fault: string | undefined;
}

function inspect(doc: Doc): Inspection {
  const seen: Inspection = { mayLoseOrder: false, isMasked: false, fault: undefined };
  visit(doc, '', seen);
  return seen;
}

function visit(value: unknown, path: string, seen: Inspection): void {
  if (value === undefined) seen.fault ??= `${path} is of the BSON type undefined`;
  if (value === undefined || value === null || typeof value !== 'object') return;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime()))
      seen.fault ??= `the date in ${path} lies outside of the years that JavaScript knows`;
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) visit(item, path, seen);
    return;
  }
  if ('_bsontype' in value) {
    if (value._bsontype === 'DBRef') seen.mayLoseOrder = true;
    if (!Object.hasOwn(value, '_bsontype')) return;
    seen.isMasked = true;
    seen.fault = `the field name _bsontype in ${path || 'the document'}`;
    return;
  }
  if (value instanceof Uint8Array) return;
  let isFirst = true;
  for (const name in value) {
    if (isFirst && isIndexName(name)) seen.mayLoseOrder = true;
    isFirst = false;
    visit((value as Doc)[name], path === '' ? name : `${path}.${name}`, seen);
  }
}

function refuse(what: string): MongoError {
  return refused(`a document with ${what}`);
}

/** Whether a JavaScript object sorts this name before the others. */
function isIndexName(name: string | undefined): boolean {
  const code = name?.charCodeAt(0) ?? 0;
  return code >= 48 && code <= 57 && /^(0|[1-9]\d*)$/.test(name as string) && Number(name) < 4294967295;
}
