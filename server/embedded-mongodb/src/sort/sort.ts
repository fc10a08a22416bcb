import { compareValues } from '../bson/compare.ts';
import type { Doc } from '../bson/document.ts';
import { checkFieldPath } from '../bson/field-path.ts';
import { asInteger, numeric } from '../bson/numbers.ts';
import { isDocument } from '../bson/values.ts';
import { badValue, MongoError, mongoError, refused } from '../errors/mongo-error.ts';
import { sortKeys } from './sort-keys.ts';

/**
 * Compiles a sort such as `{ a: 1, 'b.c': -1 }` into a comparison of documents. Of an array's values the least
 * counts ascending and the greatest descending; missing sorts as null, an empty array before null.
 * @throws MongoError for a direction that is not 1 or -1, and at comparing for parallel arrays.
 */
export function compileSort(spec: Doc): (a: Doc, b: Doc) => number {
  const parts = Object.entries(spec).map(([path, direction]) => ({
    path,
    sign: sortDirection(path, direction),
  }));
  const paths = parts.map((part) => part.path);
  const compareKeys = (a: unknown[], b: unknown[]): number => {
    for (let i = 0; i < parts.length; i++) {
      const order = compareValues(a[i], b[i]);
      if (order !== 0) return order * (parts[i] as { sign: number }).sign;
    }
    return 0;
  };
  // Each document's key is made once per sort, not once per comparison.
  const made = new WeakMap<Doc, unknown[]>();
  const keyOf = (doc: Doc): unknown[] => {
    let key = made.get(doc);
    if (key === undefined) {
      key = keysOf(doc, paths).reduce((best, next) => (compareKeys(next, best) < 0 ? next : best));
      made.set(doc, key);
    }
    return key;
  };
  return (a, b) => compareKeys(keyOf(a), keyOf(b));
}

function keysOf(doc: Doc, paths: string[]): unknown[][] {
  try {
    return sortKeys(doc, paths).keys;
  } catch (error) {
    if (error instanceof MongoError && error.code === 171) {
      throw badValue('cannot sort with keys that are parallel arrays');
    }
    throw error;
  }
}

function sortDirection(path: string, direction: unknown): 1 | -1 {
  if (path === '$natural') throw refused('$natural in this place');
  checkFieldPath(path);
  if (isDocument(direction)) {
    if (Object.hasOwn(direction, '$meta')) throw refused('sort by $meta');
    throw mongoError(17312, '$meta is the only expression supported by $sort right now');
  }
  const number = numeric(direction);
  if (number === undefined) throw mongoError(15974, `Illegal key in $sort specification: ${path}`);
  const whole =
    number.type === 'decimal' ? Number(asInteger(direction) ?? 0n) : Math.trunc(Number(number.value));
  if (whole === 1 || whole === -1) return whole;
  throw mongoError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
}
