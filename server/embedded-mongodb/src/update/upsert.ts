import type { Doc } from '../bson/document.ts';
import {
  appendField,
  copyFields,
  fieldsOf,
  getField,
  isDocument,
  MISSING,
  setField,
  typeName,
} from '../bson/values.ts';
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
  for (const [i, [path, value]] of found.entries()) {
    if (path.startsWith('_id.')) faults.replacement ??= notExact(path);
    try {
      if (path === '') throw refused('an upsert by an empty field name');
      checkPath(
        path,
        found.slice(0, i).map(([earlier]) => earlier),
      );
      set(seed, path.split('.'), value);
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

function checkPath(path: string, earlier: string[]): void {
  for (const other of earlier) {
    if (other === path) throw matchedTwice(path);
    if (other.startsWith(`${path}.`) || path.startsWith(`${other}.`)) {
      throw mongoError(
        54,
        `cannot infer query fields to set, both paths '${path}' and '${other}' are matched`,
      );
    }
  }
}

function matchedTwice(path: string): Error {
  return mongoError(54, `cannot infer query fields to set, path '${path}' is matched twice`);
}

function notExact(path: string): Error {
  const message = `field at '_id' must be exactly specified, field at sub-path '${path}' found`;
  return new MongoError(111, 'NotExactValueField', message);
}

function set(seed: Doc, parts: string[], value: unknown): void {
  const name = parts[0] as string;
  if (parts.length === 1) {
    appendField(seed, name, value);
    return;
  }
  const existing = getField(seed, name);
  const inner = isDocument(existing) ? copyFields(existing) : {};
  set(inner, parts.slice(1), value);
  if (existing === MISSING) appendField(seed, name, inner);
  else setField(seed, name, inner);
}
