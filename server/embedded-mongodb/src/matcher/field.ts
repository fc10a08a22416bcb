import type { BSONSymbol } from 'bson';
import { compareValues, typeRank } from '../bson/compare.ts';
import type { Doc } from '../bson/document.ts';
import { isNaNValue } from '../bson/numbers.ts';
import { fieldsOf, isDocument, isTrue, MISSING, typeName } from '../bson/values.ts';
import { badValue, refused } from '../errors/mongo-error.ts';
import { ValueSet } from '../index-key/value-set.ts';
import type { CompileFilter, Predicate, Test } from './predicate.ts';
import { compileRegex, regexOperator } from './regex.ts';
import { compileMod, compileSize, compileType } from './type-mod-size.ts';

const REFUSED_OPERATORS = new Set([
  '$geoWithin',
  '$within',
  '$geoIntersects',
  '$near',
  '$nearSphere',
  '$geoNear',
  '$maxDistance',
  '$minDistance',
  '$uniqueDocs',
  '$bitsAllSet',
  '$bitsAllClear',
  '$bitsAnySet',
  '$bitsAnyClear',
]);

/** Compiles what stands behind a field name: a value to equal, a regular expression, or operators. */
export function compileField(path: string, value: unknown, filter: CompileFilter): Predicate[] {
  if (typeName(value) === 'regex') return [{ kind: 'value', test: compileRegex(value) }];
  if (isOperators(value)) return compileOperators(path, value, filter);
  return [equality(value)];
}

/** Whether a document holds operators; one that starts with `$ref` (or is a DBRef) is a value. */
export function isOperators(value: unknown): value is Doc {
  if (!isDocument(value)) return false;
  const names = Object.keys(fieldsOf(value));
  const first = names[0];
  if (first === undefined || !first.startsWith('$')) return false;
  if (value._bsontype === 'DBRef' || first === '$ref') return false;
  if ((first === '$id' || first === '$db') && names.includes('$ref')) return false;
  return true;
}

/** What MongoDB knows behind a field; a document that begins with another `$` is a value in `$all`. */
const KNOWN_OPERATORS = new Set([
  ...['$all', '$elemMatch', '$eq', '$exists', '$gt', '$gte', '$in', '$lt', '$lte', '$mod', '$ne', '$nin'],
  ...['$options', '$regex', '$size', '$type'],
  ...['$bitsAllClear', '$bitsAllSet', '$bitsAnyClear', '$bitsAnySet'],
  ...['$geoIntersects', '$geoNear', '$geoWithin', '$near', '$nearSphere', '$within'],
]);

/** Whether an element of `$all` is no value, but would be a condition. */
export function isCondition(element: unknown): boolean {
  if (!isOperators(element)) return false;
  const [first = ''] = Object.keys(element);
  return KNOWN_OPERATORS.has(first) || first.startsWith('$_internal');
}

/** The condition that a value equals another. */
export function equality(operand: unknown): Predicate {
  return { kind: 'value', test: comparison('$eq', operand) };
}

function compileOperators(path: string, operators: Doc, filter: CompileFilter): Predicate[] {
  return Object.entries(operators).flatMap(([name, operand]) => {
    if (name === '$regex') return [{ kind: 'value', test: regexOperator(operand, operators.$options) }];
    if (name === '$options') {
      if (!Object.hasOwn(operators, '$regex')) throw badValue('$options needs a $regex');
      return [];
    }
    return [compileOperator(path, name, operand, filter)];
  });
}

function compileOperator(path: string, name: string, operand: unknown, filter: CompileFilter): Predicate {
  switch (name) {
    case '$eq':
      return equality(operand);
    case '$ne':
      if (typeName(operand) === 'regex') throw badValue("Can't have regex as arg to $ne.");
      return { kind: 'not', parts: [equality(operand)] };
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (typeName(operand) === 'regex') {
        throw badValue(`Can't have RegEx as arg to non-equality predicate over field '${path}'.`);
      }
      return { kind: 'value', test: comparison(name, operand) };
    case '$in':
      return membership(name, operand);
    case '$nin':
      return { kind: 'not', parts: [membership(name, operand)] };
    case '$exists': {
      const exists: Predicate = { kind: 'value', test: (value) => value !== MISSING };
      return isTrue(operand) ? exists : { kind: 'not', parts: [exists] };
    }
    case '$type':
      return { kind: 'value', test: compileType(path, operand) };
    case '$mod':
      return { kind: 'value', test: compileMod(operand) };
    case '$size':
      return { kind: 'array', find: compileSize(operand) };
    case '$not':
      return { kind: 'not', parts: negated(path, operand, filter) };
    case '$all':
      return compileAll(path, operand, filter);
    case '$elemMatch':
      return elemMatch(path, operand, filter);
  }
  if (REFUSED_OPERATORS.has(name) || name.startsWith('$_internal'))
    throw refused(`the query operator ${name}`);
  throw badValue(`unknown operator: ${name}`);
}

/** Comparisons hold only between values of one type rank, but for null with missing and MinKey and MaxKey. */
function comparison(name: '$eq' | '$gt' | '$gte' | '$lt' | '$lte', operand: unknown): Test {
  const rank = typeRank(operand);
  if (typeName(operand) === 'undefined') throw refused('a comparison with undefined');
  const orEqual = name === '$eq' || name === '$gte' || name === '$lte';
  if (rank === -1 || rank === 127) {
    const beyond = (rank === -1 && name.startsWith('$g')) || (rank === 127 && name.startsWith('$l'));
    return (value) => (typeRank(value) === rank ? orEqual : beyond);
  }
  if (operand === null)
    return (value) => orEqual && (value === null || value === undefined || value === MISSING);
  if (isNaNValue(operand)) return (value) => orEqual && isNaNValue(value);
  if (name === '$eq' && typeof operand === 'string') return (value) => textOf(value) === operand;
  return (value) => {
    if (typeRank(value) !== rank || isNaNValue(value)) return false;
    const order = compareValues(value, operand);
    if (order === 0) return orEqual;
    return order < 0 ? name.startsWith('$l') : name.startsWith('$g');
  };
}

function membership(name: string, operand: unknown): Predicate {
  if (!Array.isArray(operand)) throw badValue(`${name} needs an array`);
  // Of thousands of values each is looked up rather than compared one by one.
  const strings = new Set<string>();
  const others: unknown[] = [];
  const tests: Test[] = [];
  for (const element of operand) {
    if (isOperators(element)) throw badValue('cannot nest $ under $in');
    if (typeof element === 'string') strings.add(element);
    else if (typeName(element) === 'regex') tests.push(compileRegex(element));
    else if (element === null || element === undefined) tests.push(comparison('$eq', element));
    else others.push(element);
  }
  const isOther = lookUp(others);
  const isListed = (value: unknown): boolean => {
    const text = textOf(value);
    return text !== undefined && strings.has(text);
  };
  return {
    kind: 'value',
    test: (value) => isListed(value) || isOther(value) || tests.some((test) => test(value)),
  };
}

/** Whether a value equals one of these. They are made ready when it is asked first: many filters are only checked. */
function lookUp(values: readonly unknown[]): Test {
  let ready: { ranks: Set<number>; set: ValueSet } | undefined;
  return (value) => {
    if (values.length === 0) return false;
    ready ??= { ranks: new Set(values.map(typeRank)), set: new ValueSet(values) };
    return ready.ranks.has(typeRank(value)) && ready.set.has(value);
  };
}

/** The text of a string, or of a symbol, which equals the string; undefined for all else. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && typeName(value) === 'symbol' ? (value as BSONSymbol).value : undefined;
}

function negated(path: string, operand: unknown, filter: CompileFilter): Predicate[] {
  if (typeName(operand) === 'regex') return [{ kind: 'value', test: compileRegex(operand) }];
  if (!isDocument(operand)) throw badValue('$not argument must be a regex or an object');
  if (Object.keys(operand).length === 0) throw badValue('$not argument must be a non-empty object');
  return compileOperators(path, operand, filter);
}

function compileAll(path: string, operand: unknown, filter: CompileFilter): Predicate {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return { kind: 'value', test: () => false };
  const isElemMatch = (value: unknown) => isDocument(value) && Object.keys(value)[0] === '$elemMatch';
  if (isElemMatch(operand[0])) {
    const parts = operand.map((element) => {
      if (!isElemMatch(element)) throw badValue('$all/$elemMatch has to be consistent');
      return elemMatch(path, (element as Doc).$elemMatch, filter);
    });
    return { kind: 'all', parts };
  }
  const parts = operand.map((element): Predicate => {
    if (isCondition(element)) throw badValue('no $ expressions in $all');
    return typeName(element) === 'regex' ? { kind: 'value', test: compileRegex(element) } : equality(element);
  });
  return { kind: 'all', parts };
}

function elemMatch(path: string, operand: unknown, filter: CompileFilter): Predicate {
  if (!isDocument(operand)) throw badValue('$elemMatch needs an Object');
  const first = Object.keys(operand)[0];
  const isFilter = first === '$and' || first === '$or' || first === '$nor' || first === '$comment';
  if (isOperators(operand) && !isFilter) {
    const tests = compileOperators(path, operand, filter).map(elementTest);
    return { kind: 'array', find: (array) => indexOf(array, (value) => tests.every((test) => test(value))) };
  }
  const node = filter(operand);
  // MongoDB sees an array in an array as a document whose fields are "0", "1", …
  const test = (value: unknown): boolean => {
    if (Array.isArray(value)) return node({ ...value }, undefined);
    return isDocument(value) && node(value, undefined);
  };
  return { kind: 'array', find: (array) => indexOf(array, test) };
}

function indexOf(array: unknown[], test: Test): number | undefined {
  const index = array.findIndex(test);
  return index < 0 ? undefined : index;
}

/** A predicate applied to an element itself: arrays inside are not gone through. */
export function elementTest(predicate: Predicate): Test {
  switch (predicate.kind) {
    case 'value':
      return predicate.test;
    case 'array':
      return (value) => Array.isArray(value) && predicate.find(value) !== undefined;
    case 'not': {
      const tests = predicate.parts.map(elementTest);
      return (value) => !tests.every((test) => test(value));
    }
    case 'all': {
      const tests = predicate.parts.map(elementTest);
      return (value) => tests.every((test) => test(value));
    }
  }
}
