/** Reads a filter as a conjunction of conditions on paths: what an index can help with, and what is left. */

import type { Doc } from '../bson/document.ts';
import { typeByte } from '../index-key/value-key.ts';
import type { Bounds } from './bounds.ts';

export type Operator = 'eq' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'regex' | 'exists';

export interface Predicate {
  path: string;
  operator: Operator;
  value: unknown;
  /** What it means for an index, once that was worked out (see bounds-builder.ts); null for nothing. */
  bounds?: Bounds | null;
}

export interface Conjunction {
  predicates: Predicate[];
  /** The branches of each `$or` that stands in the conjunction. */
  alternatives: Doc[][];
  /** Whether the filter asks more than the predicates and alternatives say. */
  more: boolean;
}

const COMPARISONS: Record<string, Operator> = {
  $eq: 'eq',
  $in: 'in',
  $gt: 'gt',
  $gte: 'gte',
  $lt: 'lt',
  $lte: 'lte',
};

/** Splits a filter. Conditions that are not understood here only set `more`: matching judges them. */
export function conjunction(filter: Doc): Conjunction {
  const found: Conjunction = { predicates: [], alternatives: [], more: false };
  collect(filter, found);
  return found;
}

function collect(filter: Doc, found: Conjunction): void {
  // A clause that is no document: matching says so.
  if (filter === null || typeof filter !== 'object') {
    found.more = true;
    return;
  }
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$comment') continue;
    if (name === '$and' && Array.isArray(value)) {
      for (const part of value) collect(part as Doc, found);
    } else if (name === '$or' && Array.isArray(value)) {
      if (value.length === 1) collect(value[0] as Doc, found);
      else found.alternatives.push(value as Doc[]);
    } else if (name.startsWith('$')) {
      found.more = true;
    } else {
      collectPath(name, value, found);
    }
  }
}

function collectPath(path: string, value: unknown, found: Conjunction): void {
  if (isRegex(value)) {
    found.predicates.push({ path, operator: 'regex', value });
    return;
  }
  if (!isOperatorObject(value)) {
    found.predicates.push({ path, operator: 'eq', value });
    return;
  }
  for (const [name, operand] of Object.entries(value)) {
    const operator = COMPARISONS[name];
    if (operator && !(isRegex(operand) && operator !== 'in')) {
      found.predicates.push({ path, operator, value: operand });
    } else if (name === '$regex' && value.$options === undefined) {
      found.predicates.push({ path, operator: 'regex', value: operand });
      found.more = true;
    } else if (name === '$exists') {
      found.predicates.push({ path, operator: 'exists', value: operand });
      found.more = true;
    } else {
      found.more = true;
    }
  }
}

/** Whether a filter's value is an object of operators rather than a value to be equal to. */
export function isOperatorObject(value: unknown): value is Doc {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  if ((value as { _bsontype?: unknown })._bsontype !== undefined || value instanceof Date) return false;
  const first = Object.keys(value)[0];
  return first?.startsWith('$') === true && first !== '$ref' && first !== '$id' && first !== '$db';
}

/** Whether a value is a regular expression, of JavaScript's or of BSON's kind. */
export function isRegex(value: unknown): boolean {
  return value instanceof RegExp || (value as { _bsontype?: string } | null)?._bsontype === 'BSONRegExp';
}

/** Whether a value is a null or an undefined: what a missing field is equal to. */
export function isNullish(value: unknown): boolean {
  return value === null || value === undefined;
}

/** The type byte of a predicate's operand, for range operators, which compare within one type. */
export function operandType(value: unknown): number {
  return typeByte(value);
}
