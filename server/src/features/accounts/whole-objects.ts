import { mongo } from 'mongoose';
import type { MappedCollection } from '../../database/collection-data.ts';
import { type Document, isDerived, isObject } from './account-copy.ts';

/** How deep lists and objects of an object may lie in each other. Every database takes 180, and honest ones have some ten. */
const MAX_LEVELS = 100;

/** The longest id, in UTF-16 code units. Those that the server makes have 64 at most. */
const MAX_ID = 100;

/** The first and the last time that can be written as the API does; a clock that ran ahead may have written any of them. */
const FIRST_TIME = 0;
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const isTime = (value: unknown): boolean =>
  value instanceof Date && value.getTime() >= FIRST_TIME && value.getTime() <= LAST_TIME;

const isNothing = (value: unknown): boolean => value === null || value === undefined;

/**
 * Whether a value is made of what the server writes: numbers and times that can be counted and compared, lists that hold
 * nothing that is none, and no types of a database's own.
 */
const isSound = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value instanceof Date) return isTime(value);
  if (Array.isArray(value)) return value.every((one) => !isNothing(one) && isSound(one));
  if (isObject(value)) return Object.values(value).every(isSound);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
};

const isTooDeep = (value: unknown, levels = MAX_LEVELS): boolean => {
  if (!Array.isArray(value) && !isObject(value)) return false;
  return levels === 0 || Object.values(value).some((one) => isTooDeep(one, levels - 1));
};

/** Mongoose casts more than is stored: a text, or a number for a time, would become another value than was written. */
const isOfType = (value: unknown, type: string | undefined): boolean => {
  if (type === 'Buffer') return value instanceof mongo.Binary;
  if (type === 'Date' && !isTime(value)) return false;
  if (type === 'Number' && typeof value !== 'number') return false;
  if (type === 'Array' && !Array.isArray(value)) return false;
  return isSound(value);
};

/**
 * What is wrong with an object that whoever goes through all accounts' objects would stumble over: a field that is lacking
 * or null where its model never is, a number or a time that is none, nothing in a list, another shape than others
 * rely on. What is made anew is not looked at; other types are told by the model.
 * @returns in words, what comes behind "an object"; undefined where it is whole
 */
export const flawIn = (
  { model: { schema }, data }: MappedCollection,
  document: Document,
): string | undefined => {
  const { absent = [], nullable = [], shapes = {} } = data;
  const isWhole = (name: string): boolean => {
    const value = document[name];
    if (value === undefined) return absent.includes(name) && !Object.hasOwn(document, name);
    if (value === null) return nullable.includes(name);
    if (!isOfType(value, schema.path(name)?.instance)) return false;
    return shapes[name]?.safeParse(value).success ?? true;
  };
  const { _id, events: _, ...rest } = document;
  if (_id.length === 0 || _id.length > MAX_ID) return 'without a proper _id';
  if (isTooDeep(rest, MAX_LEVELS)) return `of more than ${MAX_LEVELS} levels of lists and objects`;
  const stored = Object.values(data.fields).flat();
  const flawed = stored.find((name) => !isDerived(name) && !isWhole(name));
  return flawed === undefined ? undefined : `without a proper ${flawed}`;
};
