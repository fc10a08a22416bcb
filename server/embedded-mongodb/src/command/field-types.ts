/** What the fields of commands and of their statements may hold: each command declares its own by these. */
import { toNumber } from '../bson/numbers.ts';
import type { MongoError } from '../errors/mongo-error.ts';
import { isDoc, missingField, wrongType } from './fields.ts';

/** What a field may hold. */
export interface FieldType {
  accepts(value: unknown): boolean;
  /** MongoDB's error for another value of the field with this name. */
  error(field: string, value: unknown): MongoError;
}

/** Fields by their names. */
export type Fields = Readonly<Record<string, FieldType>>;

function typed(expected: string, accepts: (value: unknown) => boolean): FieldType {
  return { accepts, error: (field, value) => wrongType(field, value, expected) };
}

/** MongoDB reads most fields by a grammar to which null is as good as no field. */
function orNull({ accepts, error }: FieldType): FieldType {
  return { accepts: (value) => value === null || accepts(value), error };
}

/** MongoDB misses a field that is null, where it has to be there. */
function required({ accepts, error }: FieldType): FieldType {
  return {
    accepts,
    error: (field, value) => (value === null ? missingField(field) : error(field, value)),
  };
}

/** What the command itself looks at. */
export const anyValue = typed('any', () => true);
/** Anything but null. */
export const given = typed('any', (value) => value !== null);
/** A document, and not even null instead. */
export const givenObject = typed('object', isDoc);
export const object = orNull(givenObject);
export const givenArray = typed('array', Array.isArray);
export const array = orNull(givenArray);
export const requiredArray = required(givenArray);
export const givenString = typed('string', (value) => typeof value === 'string');
export const string = orNull(givenString);
export const requiredString = required(givenString);
/** True or false, and nothing that would count as one of them. */
export const givenBool = typed('bool', (value) => typeof value === 'boolean');
export const bool = orNull(givenBool);
/** True or false; numbers stand for them too. */
export const givenFlag = typed(
  'bool',
  (value) => typeof value === 'boolean' || toNumber(value) !== undefined,
);
export const flag = orNull(givenFlag);
export const givenNumber = typed('long', (value) => toNumber(value) !== undefined);
export const number = orNull(givenNumber);
/** Which indexes: by name, by key, or a list of names. */
export const indexNames = typed(
  'string, object or array of strings',
  (value) =>
    typeof value === 'string' ||
    isDoc(value) ||
    (Array.isArray(value) && value.every((name) => typeof name === 'string')),
);
