import { mongo } from 'mongoose';
import type { z } from 'zod';
import type { MappedCollection } from '../../database/collection-data.ts';
import { count, identifier, ownUuid } from '../../database/stored-shapes.ts';
import { type Document, isDerived, isObject } from './account-copy.ts';

/** How deep lists and objects of an object may lie in each other. Every database takes 180, and honest ones have some ten. */
const MAX_LEVELS = 100;

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

/** Mongoose makes a text of a number, whatever the bounds of the text are. */
const isOtherThanText = (value: unknown, type: string | undefined): boolean =>
  type === 'String' && !isNothing(value) && typeof value !== 'string';

/** Mongoose casts more than is stored: a text, or a number for a time, would become another value than was written. */
const isOfType = (value: unknown, type: string | undefined): boolean => {
  if (type === 'Buffer') return value instanceof mongo.Binary;
  if (type === 'Date' && !isTime(value)) return false;
  if (type === 'Number' && typeof value !== 'number') return false;
  if (type === 'Array' && !Array.isArray(value)) return false;
  return isSound(value);
};

const OWN_UUID = ownUuid();

/** What is right for a field of which no shape says more: a text is an id then, and a number counts something. */
const ELSE: Record<string, z.ZodType> = { String: identifier(), Number: count() };

/** The shape of a field of a collection; undefined where its type says all there is. */
export const shapeOf = ({ model, data }: MappedCollection, name: string): z.ZodType | undefined =>
  data.shapes?.[name] ?? ELSE[model.schema.path(name)?.instance ?? ''];

/** In one line, and not longer than that. */
const MAX_REASON = 200;

const inOneLine = (text: string): string => text.replace(/[\p{C}\p{Z}]+/gu, ' ').slice(0, MAX_REASON);

/** Where a value has another shape, and why: `.tags.0: Ensure …`; undefined where it fits. */
const misfitOf = (shape: z.ZodType | undefined, value: unknown): string | undefined => {
  const [issue] = shape?.safeParse(value).error?.issues ?? [];
  if (!issue) return undefined;
  const path = issue.path.map((step) => `.${String(step)}`).join('');
  return inOneLine(`${path}: ${issue.message}`);
};

/**
 * What is wrong with an object that whoever goes through all accounts' objects would stumble over: a field that is lacking
 * or null where its model never is, a number or a time that is none, nothing in a list, a value beyond the bounds that
 * the API keeps, another shape than others rely on, a field that there is none of. What is made anew is not looked at; other types are told by the model.
 * @returns in words, what comes behind "an object"; undefined where it is whole
 */
export const flawIn = (collection: MappedCollection, document: Document): string | undefined => {
  const { model, data } = collection;
  const { absent = [], nullable = [] } = data;
  /** What comes behind the name of the field; undefined where nothing is wrong with it. */
  const flawOf = (name: string): string | undefined => {
    const value = document[name];
    if (value === undefined) return absent.includes(name) && !Object.hasOwn(document, name) ? undefined : '';
    if (value === null) return nullable.includes(name) ? undefined : '';
    if (data.own?.includes(name) && value !== document.account) return ': it names another account';
    if (!isOfType(value, model.schema.path(name)?.instance)) return '';
    return misfitOf(shapeOf(collection, name), value);
  };
  const { _id, events: _, ...rest } = document;
  if (misfitOf(data.shapes?._id ?? OWN_UUID, _id) !== undefined) return 'without a proper _id';
  const known = Object.values(data.fields).flat();
  const unknown = Object.keys(document).find((name) => !known.includes(name) && !isDerived(name));
  // The model would say so as well, once some hundred of them wait to be written.
  if (unknown !== undefined) return inOneLine(`with an unknown field: ${unknown}`);
  if (isTooDeep(rest, MAX_LEVELS)) return `of more than ${MAX_LEVELS} levels of lists and objects`;
  for (const name of known) {
    if (isDerived(name)) continue;
    if (isOtherThanText(document[name], model.schema.path(name)?.instance))
      return `with a field of another type: ${name}`;
    const flaw = flawOf(name);
    if (flaw !== undefined) return `without a proper ${name}${flaw}`;
  }
  return undefined;
};
