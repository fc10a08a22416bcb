/** Reading one index of a createIndexes command. */

import type { Doc } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import { badValue, MongoError, refused } from '../errors/mongo-error.ts';
import { encodeValue } from '../index-key/entry-key.ts';
import type { IndexSpec, NewIndex } from '../index-key/index-spec.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { conjunction } from '../planner/conjunction.ts';
import { samePattern } from '../planner/hint.ts';
import { checkField } from './check-fields.ts';
import { anyValue, type Fields, givenFlag, givenNumber, givenObject, givenString } from './field-types.ts';
import { isDoc, readBoolean, readDoc, readString, wrongType } from './fields.ts';

/** An index that is there, or is about to be made. */
export type KnownIndex = NewIndex & Partial<Pick<IndexSpec, 'id'>>;

const KNOWN: Fields = {
  key: givenObject,
  name: givenString,
  ns: anyValue,
  v: givenNumber,
  unique: givenFlag,
  sparse: givenFlag,
  background: givenFlag,
  partialFilterExpression: givenObject,
  expireAfterSeconds: anyValue,
};

/** What MongoDB knows beside them. */
const REFUSED = new Set([
  'collation',
  'hidden',
  'prepareUnique',
  'storageEngine',
  'weights',
  'default_language',
  'language_override',
  'textIndexVersion',
  '2dsphereIndexVersion',
  'bits',
  'min',
  'max',
  'bucketSize',
  'wildcardProjection',
  'columnstoreProjection',
  'clustered',
  'dropDups',
]);

const KINDS = new Set([
  'text',
  'hashed',
  '2d',
  '2dsphere',
  'geoHaystack',
  'columnstore',
  'wildcard',
  'queryable_encrypted_range',
]);

/** MongoDB's limit for fields in a compound index. */
const MAX_FIELDS = 32;

/** The longest time that MongoDB takes for a TTL index: 2^31 - 1 seconds. */
const MAX_EXPIRE_SECONDS = 2147483647;

/** Reads an index definition. What MongoDB has and this engine has not is refused by name. */
export function readIndexRequest(spec: unknown): NewIndex {
  if (!isDoc(spec)) throw wrongType('createIndexes.indexes', spec, 'object');
  for (const [name, value] of Object.entries(spec)) {
    if (checkField('createIndexes.indexes', KNOWN, name, value)) continue;
    if ((name === 'hidden' || name === 'prepareUnique') && value === false) continue;
    if (!REFUSED.has(name)) {
      throw new MongoError(
        197,
        'InvalidIndexSpecificationOption',
        `The field '${name}' is not valid for an index specification`,
      );
    }
    throw refused(`the index option ${name}`);
  }
  const key = readDoc(spec, 'key');
  if (!key)
    throw new MongoError(
      9,
      'FailedToParse',
      "The 'key' field is a required property of an index specification",
    );
  checkVersion(spec.v);
  checkKey(key);
  checkIdIndex(key, spec);
  const name = readString(spec, 'name');
  if (name === '') throw cannotCreate('index name cannot be empty');
  if (name === '*' && !isIdKey(key)) throw new MongoError(2, 'BadValue', "The index name '*' is not valid.");
  if (!name)
    throw new MongoError(
      9,
      'FailedToParse',
      "The 'name' field is a required property of an index specification",
    );
  if (name === ID_INDEX_NAME && !isIdKey(key))
    throw badValue(
      "The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}",
    );
  const partialFilterExpression = readDoc(spec, 'partialFilterExpression');
  const sparse = readBoolean(spec, 'sparse', false);
  if (partialFilterExpression) {
    if (sparse) throw cannotCreate(`cannot mix "partialFilterExpression" and "sparse" options`);
    checkPartialFilter(partialFilterExpression);
  }
  return {
    name: isIdKey(key) ? ID_INDEX_NAME : name,
    key,
    unique: readBoolean(spec, 'unique', false),
    sparse,
    partialFilterExpression,
    expireAfterSeconds: readExpiry(spec, key),
  };
}

function cannotCreate(text: string): MongoError {
  return new MongoError(67, 'CannotCreateIndex', text);
}

/** MongoDB's versions of its own format; this database has another one. */
function checkVersion(value: unknown): void {
  const version = toNumber(value);
  if (version === undefined || version === 1 || version === 2) return;
  if (!Number.isInteger(version) || version >= 2 ** 31)
    throw badValue(`Index version must be an integer: ${version}`);
  throw cannotCreate(`Invalid index version: ${version}`);
}

function checkKey(key: Doc): void {
  const paths = Object.entries(key);
  if (paths.length === 0) throw cannotCreate('Index keys cannot be empty.');
  if (paths.length > MAX_FIELDS) throw new MongoError(13103, 'Location13103', 'too many compound keys');
  if (paths.length === 1 && Object.hasOwn(key, '_id') && toNumber(key._id) !== 1) {
    throw new MongoError(2, 'BadValue', "The field 'key' for an _id index must be {_id: 1}");
  }
  for (const [path, direction] of paths) {
    if (typeof direction === 'string' && !KINDS.has(direction)) {
      throw cannotCreate(`Unknown index plugin '${direction}'`);
    }
    if (typeof direction === 'string') {
      throw refused(`an index of the kind ${direction}`);
    }
    const number = toNumber(direction);
    if (number === undefined || number === 0 || Number.isNaN(number)) {
      throw cannotCreate(`Values in v:2 index key pattern must be numbers other than 0, or strings: ${path}`);
    }
    if (path === '') throw cannotCreate('Index keys cannot be an empty field.');
    for (const part of path.split('.')) {
      if (part === '') throw cannotCreate('Index keys cannot contain an empty field.');
      if (part.startsWith('$'))
        throw cannotCreate(`Index key contains an illegal field name: field name starts with '$'.`);
      if (/^\d+$/.test(part)) {
        throw refused(`an index on a position in an array (${path})`);
      }
    }
  }
}

/** The index of `_id` is what it is. */
function checkIdIndex(key: Doc, spec: Doc): void {
  if (!isIdKey(key)) return;
  const other = Object.keys(spec).find((name) => !ID_INDEX_FIELDS.has(name));
  if (other === undefined) return;
  const text = `The field '${other}' is not valid for an _id index specification.`;
  throw new MongoError(197, 'InvalidIndexSpecificationOption', text);
}

const isIdKey = (key: Doc): boolean => Object.keys(key).length === 1 && Object.hasOwn(key, '_id');

/** Whatever name is given for it; no other index may have this one. */
const ID_INDEX_NAME = '_id_';

const ID_INDEX_FIELDS = new Set(['key', 'name', 'ns', 'v']);

function readExpiry(spec: Doc, key: Doc): unknown {
  const value = spec.expireAfterSeconds;
  if (value === undefined) return undefined;
  const seconds = toNumber(value);
  if (seconds === undefined) throw cannotCreate('TTL index options must be numeric');
  if (!(seconds >= 0) || seconds > MAX_EXPIRE_SECONDS) {
    throw cannotCreate(
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, try a different value than ${seconds}`,
    );
  }
  if (Object.keys(key).length > 1) {
    throw cannotCreate('TTL indexes are single-field indexes, compound indexes do not support TTL');
  }
  return value;
}

const PARTIAL_OPERATORS = new Set([
  '$eq',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$exists',
  '$type',
  '$and',
  '$or',
  '$in',
]);

function checkPartialFilter(expression: Doc): void {
  compileMatch(expression);
  conjunction(expression);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isDoc(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name.startsWith('$') && !PARTIAL_OPERATORS.has(name)) {
        throw cannotCreate(`Expression not supported in partial index: ${name}`);
      }
      if (name === '$exists' && (inner === false || toNumber(inner) === 0)) {
        throw cannotCreate('Expression not supported in partial index: $not');
      }
      visit(inner);
    }
  };
  visit(expression);
}

/** Whether an index is what was asked for but for name and expiry: a collection has no two such indexes. */
export function isEquivalent(index: KnownIndex, request: NewIndex): boolean {
  return (
    samePattern(index.key, request.key) &&
    sameValue(index.partialFilterExpression, request.partialFilterExpression) &&
    (index.id === 0 || index.unique === request.unique) &&
    index.sparse === request.sparse
  );
}

/** Whether an index expires documents as was asked for. */
export function sameExpiry(index: KnownIndex, request: NewIndex): boolean {
  return sameValue(index.expireAfterSeconds, request.expireAfterSeconds);
}

function sameValue(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  return encodeValue(a).equals(encodeValue(b));
}
