import type { Model } from 'mongoose';
import type { Index } from './fewest.ts';

/** The days that are asked for. */
export interface Days {
  /** From this moment on. */
  from: Date | undefined;
  /** Before this moment. */
  until: Date | undefined;
}

/** Where a page begins and which days it is cut from. */
export interface Page extends Days {
  limit: number;
  /** The last object of the page before: its time and id. */
  after: { time: Date; id: string } | undefined;
}

/**
 * Documents are read in steps, so that whoever has enough of them has not read many more: the first is a page of the
 * default size with the one that follows it.
 */
const FIRST_STEP = 101;
const STEP = 200;

/** How documents are read. */
interface Reading<T> {
  /** Further fields that are not shown. */
  without?: { [field in keyof T]?: 0 };
  /** How many are read in one step, where they may be large. */
  most?: number;
  /** The index by which they are read, where several would do. */
  index?: Index | undefined;
  /** 1: the oldest first, by the same index from its other end. */
  order?: Order;
}

/** By time and id: -1 is newest first, 1 is oldest first. */
export type Order = 1 | -1;

/** Fields that may be large and that no list shows: events which wait to be announced. */
const UNSHOWN = { events: 0 } as const;

/**
 * Reads a page of `filter`, newest first by (`timeField`, _id) unless `order` says otherwise, as a range of the index that begins with the filter's
 * fields: page 10 000 costs what page 1 costs. It gives at most `limit` + 1 documents, step by step; the one too many
 * says that there is a next page.
 */
export async function* readPages<T extends { _id: string }>(
  model: Model<T>,
  filter: object,
  timeField: keyof T & string,
  { limit, ...page }: Page,
  { without = {}, most = STEP, index, order = -1 }: Reading<T> = {},
): AsyncGenerator<T[]> {
  let { after } = page;
  for (let left = limit + 1, size = FIRST_STEP; left > 0; size = STEP) {
    const wanted = Math.min(left, size, most);
    const range = { ...page, after, limit: wanted };
    const found = await readRange(model, filter, timeField, range, { without, index, order });
    const last = found.at(-1);
    if (last) yield found;
    if (!last || found.length < wanted) return;
    after = { time: last[timeField] as Date, id: last._id };
    left -= wanted;
  }
}

/** The page of a list that is short enough to be read as a whole. @param all newest first by (`timeField`, _id) */
export async function* cutPage<T extends { _id: string }>(
  all: readonly T[],
  timeField: keyof T & string,
  { after, from, until, limit }: Page,
): AsyncGenerator<T[]> {
  const isAsked = (one: T): boolean => {
    const at = one[timeField] as Date;
    const isAfter =
      !after || at < after.time || (at.getTime() === after.time.getTime() && one._id < after.id);
    return isAfter && (!from || at >= from) && (!until || at < until);
  };
  yield all.filter(isAsked).slice(0, limit + 1);
}

/** The order of lists: newest first. */
export const newestFirst = (
  a: { _id: string; created_at: Date },
  b: { _id: string; created_at: Date },
): number => b.created_at.getTime() - a.created_at.getTime() || (a._id < b._id ? 1 : -1);

/** The later beginning of a range, which the cursor's own moment is still in. */
const fromOn = (from: Date | undefined, after: Date | undefined) =>
  after && (!from || after > from) ? { $gte: after } : from && { $gte: from };

/** The earlier end of a range, likewise. */
const upTo = (until: Date | undefined, after: Date | undefined) =>
  after && (!until || after < until) ? { $lte: after } : until && { $lt: until };

const readRange = async <T extends { _id: string }>(
  model: Model<T>,
  filter: object,
  timeField: keyof T & string,
  { after, from, until, limit }: Page,
  { without, index, order = -1 }: Omit<Reading<T>, 'most'>,
): Promise<T[]> => {
  const range =
    order === 1
      ? { ...(until && { $lt: until }), ...fromOn(from, after?.time) }
      : { ...(from && { $gte: from }), ...upTo(until, after?.time) };
  const conditions: Record<string, unknown> = { ...filter };
  if (Object.keys(range).length > 0) conditions[timeField] = range;
  // Inside the index range only the objects of the cursor's own millisecond are told apart by id. By an $or MongoDB
  // would unite ranges, and sort.
  const isBefore = order === 1 ? '$lte' : '$gte';
  if (after) conditions.$nor = [{ [timeField]: after.time, _id: { [isBefore]: after.id } }];
  // Not through mongoose, whose casting costs more than the rest: the types are right as they are.
  const projection = { ...UNSHOWN, ...without };
  const sort = { [timeField]: order, _id: order };
  const options = { limit, batchSize: limit + 1, sort, projection, ...(index && { hint: index }) };
  return (await model.collection.find(conditions, options as never).toArray()) as unknown as T[];
};
