import type { Model } from 'mongoose';
import { type Index, indexOfFewest, partOf } from './fewest.ts';
import { type ListOf, placeOf, type Range, type Reading, readEnd, readRange } from './range.ts';

export type { Days, Order } from './range.ts';

/** Where a page begins and which days it is cut from. */
export type Page = Omit<Range, 'through'>;

/**
 * The documents of a page in steps. It may return before a page is full and the list has come to its end: with the object up
 * to which it has looked, of which nothing but time and id is read.
 */
export type Steps<T> = AsyncGenerator<T[], T | undefined>;

/**
 * Documents are read in steps, so that whoever has enough of them has not read many more: the first is a page of the
 * default size with the one that follows it.
 */
const FIRST_STEP = 101;
const STEP = 200;

/**
 * How many objects are looked at for one page where the index does not tell all of a filter: in stretches, the first of which
 * mostly fills a page.
 */
const STRETCHES = [500, 2_000, 7_500];

/** How the documents of a page are read. */
interface PageReading<T> extends Omit<Reading<T>, 'index'> {
  /** The indexes that serve the list, as far as they go; the one with the fewest entries is taken. */
  indexes?: readonly Index[];
  /** One of them, along which alone a list is read in stretches: where a stretch ends tells of what the index holds. */
  along?: Index | undefined;
  /** Fields of the filter that keep nothing out which the others let in. */
  implied?: readonly string[];
}

/**
 * Reads a page of `filter`, newest first by (`timeField`, _id) unless `order` says otherwise, as a range of the index that begins with the filter's
 * fields: page 10 000 costs what page 1 costs. It gives at most `limit` + 1 documents, step by step; the one too many
 * says that there is a next page. Where the index leaves fields of the filter untold, it may end sooner.
 */
export async function* readPages<T extends { _id: string }>(
  model: Model<T>,
  filter: object,
  timeField: keyof T & string,
  { limit, ...page }: Page,
  { indexes: [first, ...others] = [], along, implied = [], ...how }: PageReading<T> = {},
): Steps<T> {
  const chosen = first && (await indexOfFewest(model, filter, [first, ...others]));
  const index = (!chosen?.isFew && along) || chosen?.index;
  const list: ListOf<T> = { model, filter, timeField, how: { ...how, index } };
  const own = index && partOf(filter, index);
  const isTold = !own || Object.keys(filter).every((field) => field in own || implied.includes(field));
  if (isTold || chosen?.isFew) {
    yield* readSteps(list, { ...page, limit: limit + 1 });
    return undefined;
  }
  const entries = { ...list, filter: own };
  let { after } = page;
  let left = limit + 1;
  let end: T | undefined;
  for (const stretch of STRETCHES) {
    end = await readEnd(entries, { ...page, after, limit: stretch });
    const through = end && placeOf(list, end);
    left -= yield* readSteps(list, { ...page, after, through, limit: left });
    if (!end || left === 0) return undefined;
    after = through;
  }
  return end;
}

/** Reads a range step by step. @returns how many there were */
async function* readSteps<T extends { _id: string }>(
  list: ListOf<T>,
  { after, limit, ...range }: Range,
): AsyncGenerator<T[], number> {
  const { most = STEP } = list.how;
  let read = 0;
  for (let size = FIRST_STEP; read < limit; size = STEP) {
    const wanted = Math.min(limit - read, size, most);
    const found = await readRange(list, { ...range, after, limit: wanted });
    const last = found.at(-1);
    if (last) yield found;
    read += found.length;
    if (!last || found.length < wanted) break;
    after = placeOf(list, last);
  }
  return read;
}

/** The page of a list that is short enough to be read as a whole. @param all newest first by (`timeField`, _id) */
export async function* cutPage<T extends { _id: string }>(
  all: readonly T[],
  timeField: keyof T & string,
  { after, from, until, limit }: Page,
): Steps<T> {
  const isAsked = (one: T): boolean => {
    const at = one[timeField] as Date;
    const isAfter =
      !after || at < after.time || (at.getTime() === after.time.getTime() && one._id < after.id);
    return isAfter && (!from || at >= from) && (!until || at < until);
  };
  yield all.filter(isAsked).slice(0, limit + 1);
  return undefined;
}

/** The order of lists: newest first. */
export const newestFirst = (
  a: { _id: string; created_at: Date },
  b: { _id: string; created_at: Date },
): number => b.created_at.getTime() - a.created_at.getTime() || (a._id < b._id ? 1 : -1);
