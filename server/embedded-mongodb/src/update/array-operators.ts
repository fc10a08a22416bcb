import { compareValues } from '../bson/compare.ts';
import type { Doc } from '../bson/document.ts';
import { asInteger } from '../bson/numbers.ts';
import { fieldsOf, getField, isDocument, isNumber, MISSING, typeName } from '../bson/values.ts';
import { badValue, failedToParse, mongoError, refused } from '../errors/mongo-error.ts';
import { ValueSet } from '../index-key/value-set.ts';
import { isOperators } from '../matcher/field.ts';
import { compileNode } from '../matcher/filter.ts';

/** Changes the value of a path; `MISSING` stands for a field that is not there. */
export type Change = (value: unknown) => unknown;

/** `$push`, with `$each`, `$position`, `$sort` and `$slice`. */
export function compilePush(path: string, operand: unknown): Change {
  const clauses = isDocument(operand) && Object.hasOwn(operand, '$each') ? operand : { $each: [operand] };
  for (const name of Object.keys(clauses)) {
    if (!['$each', '$position', '$sort', '$slice'].includes(name)) {
      throw badValue(`Unrecognized clause in $push: ${name}`);
    }
  }
  const added = clauses.$each;
  if (!Array.isArray(added)) {
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(added)}`);
  }
  const slice = wholeClause(clauses, '$slice', 'but was given type');
  const position = wholeClause(clauses, '$position', 'not of type');
  const order = Object.hasOwn(clauses, '$sort') ? elementOrder(clauses.$sort) : undefined;
  return (value) => {
    if (value !== MISSING && !Array.isArray(value)) {
      throw badValue(`The field '${path}' must be an array but is of type ${typeName(value)}`);
    }
    const array = value === MISSING ? [] : [...(value as unknown[])];
    const isIdle = added.length === 0 && value !== MISSING && (order === undefined || array.length === 0);
    array.splice(position ?? array.length, 0, ...added);
    if (order !== undefined) array.sort(order);
    // Only what changes nothing by its form is no change: sorting what is sorted counts as one in MongoDB, but for an empty array.
    if (slice === undefined || array.length <= Math.abs(slice)) return isIdle ? value : array;
    return slice < 0 ? array.slice(slice) : array.slice(0, slice);
  };
}

function wholeClause(clauses: Doc, name: string, wording: string): number | undefined {
  if (!Object.hasOwn(clauses, name)) return undefined;
  const value = asInteger(clauses[name]);
  if (value === undefined) {
    throw badValue(`The value for ${name} must be an integer value ${wording}: ${typeName(clauses[name])}`);
  }
  if (value > 0x7fffffffn) return 0x7fffffff;
  return value < -0x7fffffffn ? -0x7fffffff : Number(value);
}

/** `$push`'s `$sort`: a direction for whole values, or paths with directions inside documents. */
function elementOrder(sort: unknown): (a: unknown, b: unknown) => number {
  if (isNumber(sort)) {
    const sign = direction(sort, 'The $sort element value must be either 1 or -1');
    return (a, b) => sign * compareValues(a, b);
  }
  if (!isDocument(sort)) {
    throw badValue(
      'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
    );
  }
  const parts = Object.entries(sort).map(([path, value]) => {
    if (path === '') throw badValue('The $sort field cannot be empty');
    if (path.split('.').some((part) => part === '')) {
      throw badValue(`The $sort field is a dotted field but has an empty part: ${path}`);
    }
    return { path: path.split('.'), sign: direction(value, 'The sort element value must be either 1 or -1') };
  });
  if (parts.length === 0) throw badValue('The sort pattern is empty when it should be a set of fields.');
  return (a, b) => {
    for (const { path, sign } of parts) {
      const order = compareValues(sortValue(a, path), sortValue(b, path));
      if (order !== 0) return sign * order;
    }
    return 0;
  };
}

function direction(value: unknown, message: string): number {
  const number = asInteger(value);
  if (number !== 1n && number !== -1n) throw badValue(message);
  return Number(number);
}

function sortValue(element: unknown, path: string[]): unknown {
  let at = element;
  for (const part of path) {
    if (Array.isArray(at)) throw refused("$push's $sort by a path through an array");
    at = isDocument(at) ? getField(at, part) : MISSING;
  }
  return at === MISSING ? null : at;
}

/** `$addToSet`, with `$each` when that is the operand's first field. */
export function compileAddToSet(path: string, operand: unknown): Change {
  let added: unknown[] = [operand];
  if (isDocument(operand) && Object.keys(operand)[0] === '$each') {
    if (!Array.isArray(operand.$each)) {
      throw mongoError(
        14,
        `The argument to $each in $addToSet must be an array but it was of type ${typeName(operand.$each)}`,
      );
    }
    if (Object.keys(operand).length > 1) throw badValue('Found unexpected fields after $each in $addToSet');
    added = operand.$each;
  }
  return (value) => {
    if (value !== MISSING && !Array.isArray(value)) {
      throw badValue(
        `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(value)}`,
      );
    }
    const array = value === MISSING ? [] : (value as unknown[]);
    const result = [...array];
    // One is found sooner by comparing than by making all ready to be looked up.
    const known = added.length > 1 ? new ValueSet(array) : undefined;
    for (const element of added) {
      const isNew = known?.add(element) ?? !array.some((existing) => compareValues(existing, element) === 0);
      if (isNew) result.push(element);
    }
    return value !== MISSING && result.length === array.length ? value : result;
  };
}

/** `$pop`: 1 takes the last element, -1 the first. */
export function compilePop(path: string, operand: unknown): Change {
  if (!isNumber(operand)) throw failedToParse(`Expected a number in: ${path}: ${JSON.stringify(operand)}`);
  const which = asInteger(operand);
  if (which === undefined) throw failedToParse(`Expected an integer: ${path}: ${String(operand)}`);
  if (which !== 1n && which !== -1n) throw failedToParse(`$pop expects 1 or -1, found: ${which}`);
  return (value) => {
    if (!Array.isArray(value)) {
      throw mongoError(14, `Path '${path}' contains an element of non-array type '${typeName(value)}'`);
    }
    if (value.length === 0) return value;
    return which === 1n ? value.slice(0, -1) : value.slice(1);
  };
}

/** `$pullAll`: takes out every element that equals one of the values. */
export function compilePullAll(operand: unknown): Change {
  if (!Array.isArray(operand)) {
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand)}`);
  }
  const values = new ValueSet(operand);
  return without((element) => values.has(element));
}

/** `$pull`: takes out the elements that equal a value or match a condition. */
export function compilePull(operand: unknown): Change {
  return without(pullTest(operand));
}

function pullTest(operand: unknown): (element: unknown) => boolean {
  const first = isDocument(operand) ? Object.keys(fieldsOf(operand))[0] : undefined;
  // What stands first decides whether MongoDB reads conditions on elements or a filter on documents.
  const isFilter = first !== undefined && FILTER_OPERATORS.has(first);
  if (typeName(operand) === 'regex' || (isOperators(operand) && !isFilter)) {
    // The condition holds for an element as for a field: of an array in the array, one element is enough.
    const node = compileNode({ '': operand });
    return (element) => node({ '': element }, undefined);
  }
  if (isDocument(operand)) {
    const node = compileNode(fieldsOf(operand));
    return (element) => isDocument(element) && node(element, undefined);
  }
  return (element) => compareValues(element, operand) === 0;
}

const FILTER_OPERATORS = new Set(['$and', '$or', '$nor', '$not', '$comment', '$expr']);

function without(test: (element: unknown) => boolean): Change {
  return (value) => {
    if (!Array.isArray(value)) throw badValue('Cannot apply $pull to a non-array value');
    const kept = value.filter((element) => !test(element));
    return kept.length === value.length ? value : kept;
  };
}
