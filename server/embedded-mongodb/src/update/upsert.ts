import type { Doc } from '../bson/document.ts';
import { appendField, fieldsOf, getField, MISSING, typeName } from '../bson/values.ts';
import { MongoError, mongoError, refused } from '../errors/mongo-error.ts';
import { isCondition, isOperators } from '../matcher/field.ts';

/** What is wrong with a filter as a start of a document; which of it matters depends on the update. */
interface Faults {
  operators: Error | undefined;
  replacement: Error | undefined;
}

const faultsOf = new WeakMap<Doc, Faults>();

/**
 * The document that an upsert starts from when nothing matched: the filter's equalities, also those inside of
 * `$and`, `$eq`, `$all` and `$in` with one value. What is wrong with them, the update's `apply` throws: it knows
 * whether it needs them all or, being a replacement, only `_id`.
 */
export function upsertSeed(filter: Doc): Doc {
  const seed: Doc = {};
  const found = equalities(filter);
  const isTwice = found.filter(([path]) => path === '_id').length > 1;
  const faults: Faults = { operators: undefined, replacement: isTwice ? matchedTwice('_id') : undefined };
  const taken: Taken = newTaken('');
  for (const [path, value] of found) {
    if (path.startsWith('_id.')) faults.replacement ??= notExact(path);
    try {
      if (path === '') throw refused('an upsert by an empty field name');
      const parts = path.split('.');
      take(taken, path, parts);
      set(seed, parts, value);
    } catch (error) {
      faults.operators ??= error as Error;
    }
  }
  faultsOf.set(seed, faults);
  return seed;
}

/** Throws what an upsert of this kind cannot start with. */
export function checkSeed(seed: Doc, isReplacement: boolean): void {
  const faults = faultsOf.get(seed);
  const fault = isReplacement ? faults?.replacement : faults?.operators;
  if (fault !== undefined) throw fault;
}

function equalities(filter: Doc): [string, unknown][] {
  return Object.entries(fieldsOf(filter)).flatMap(([name, value]): [string, unknown][] => {
    if (name === '$and') return (value as Doc[]).flatMap(equalities);
    if (name === '$or' && (value as Doc[]).length === 1) return equalities((value as Doc[])[0] as Doc);
    if (name.startsWith('$')) return [];
    return fieldEqualities(value).map((equal) => [name, equal]);
  });
}

function fieldEqualities(value: unknown): unknown[] {
  if (typeName(value) === 'regex') return [];
  if (!isOperators(value)) return [value];
  return Object.entries(value).flatMap(([name, operand]) => {
    if (name === '$eq') return [operand];
    const values = Array.isArray(operand) ? operand : [];
    if (name === '$all') return values.filter((one) => typeName(one) !== 'regex' && !isCondition(one));
    if (name === '$in' && values.length === 1) {
      return values.filter((one) => typeName(one) !== 'regex' && !isOperators(one));
    }
    return [];
  });
}

/** The paths that are matched, one level at a time. */
interface Taken {
  /** The first path that led here, or past here. */
  first: string;
  isEnd: boolean;
  fields: Map<string, Taken>;
}

const newTaken = (first: string): Taken => ({ first, isEnd: false, fields: new Map() });

/** Adds a path to those that are matched. Fails where another one leads to the same place, or through it. */
function take(root: Taken, path: string, parts: readonly string[]): void {
  let at = root;
  for (const part of parts) {
    let next = at.fields.get(part);
    if (!next) {
      next = newTaken(path);
      at.fields.set(part, next);
    }
    at = next;
    if (at.isEnd && at.first !== path) throw bothMatched(path, at.first);
  }
  if (at.isEnd) throw matchedTwice(path);
  if (at.fields.size > 0) throw bothMatched(path, at.first);
  at.isEnd = true;
}

function bothMatched(path: string, other: string): Error {
  const text = `cannot infer query fields to set, both paths '${path}' and '${other}' are matched`;
  return mongoError(54, text);
}

function matchedTwice(path: string): Error {
  return mongoError(54, `cannot infer query fields to set, path '${path}' is matched twice`);
}

function notExact(path: string): Error {
  const message = `field at '_id' must be exactly specified, field at sub-path '${path}' found`;
  return new MongoError(111, 'NotExactValueField', message);
}

function set(seed: Doc, parts: readonly string[], value: unknown): void {
  let at = seed;
  for (const name of parts.slice(0, -1)) {
    // Documents on the way were made here: no other path leads through a value.
    if (getField(at, name) === MISSING) appendField(at, name, {});
    at = getField(at, name) as Doc;
  }
  appendField(at, parts.at(-1) as string, value);
}
