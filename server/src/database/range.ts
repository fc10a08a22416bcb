import type { Model } from 'mongoose';
import type { Index } from './fewest.ts';

/** The days that are asked for. */
export interface Days {
  /** From this moment on. */
  from: Date | undefined;
  /** Before this moment. */
  until: Date | undefined;
}

/** An object's place in a list. */
export interface Place {
  time: Date;
  id: string;
}

/** By time and id: -1 is newest first, 1 is oldest first. */
export type Order = 1 | -1;

/** What of a list is read at once. */
export interface Range extends Days {
  limit: number;
  /** It begins behind this one. */
  after: Place | undefined;
  /** It ends with this one. */
  through?: Place | undefined;
}

/** How documents are read. */
export interface Reading<T> {
  /** Further fields that are not shown. */
  without?: { [field in keyof T]?: 0 };
  /** How many are read in one step, where they may be large. */
  most?: number;
  /** The index by which they are read, where several would do. */
  index?: Index | undefined;
  /** 1: the oldest first, by the same index from its other end. */
  order?: Order;
}

/** A list, and how it is read. */
export interface ListOf<T> {
  model: Model<T>;
  /** Of the index that is read, the fields that it begins with. */
  filter: object;
  timeField: keyof T & string;
  how: Reading<T>;
}

/** Fields that may be large and that no list shows: events which wait to be announced. */
const UNSHOWN = { events: 0 } as const;

const laterOf = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a && b && a > b ? a : (b ?? a);

/** The place of an object in a list. */
export const placeOf = <T extends { _id: string }>({ timeField }: ListOf<T>, object: T): Place => ({
  time: object[timeField] as Date,
  id: object._id,
});

/** The objects of a range, as conditions on an index that begins with the filter's fields. */
const conditionsOf = <T>(
  { filter, timeField, how: { order = -1 } }: ListOf<T>,
  { after, through, from, until }: Range,
): Record<string, unknown> => {
  const [oldest, newest] = order === 1 ? [after, through] : [through, after];
  const first = laterOf(from, oldest?.time);
  const last = newest && (!until || newest.time < until) ? { $lte: newest.time } : until && { $lt: until };
  const conditions: Record<string, unknown> = { ...filter };
  if (first ?? last) conditions[timeField] = { ...(first && { $gte: first }), ...last };
  // Inside the index range only the objects of an end's own millisecond are told apart by id. By an $or MongoDB
  // would unite ranges, and sort.
  const [notAfter, beyond] = order === 1 ? ['$lte', '$gt'] : ['$gte', '$lt'];
  const outside = [
    ...(after ? [{ [timeField]: after.time, _id: { [notAfter]: after.id } }] : []),
    ...(through ? [{ [timeField]: through.time, _id: { [beyond]: through.id } }] : []),
  ];
  if (outside.length > 0) conditions.$nor = outside;
  return conditions;
};

/** Reads what a list has in a range. */
export const readRange = async <T>(list: ListOf<T>, range: Range): Promise<T[]> => {
  const { model, timeField, how } = list;
  const { without, index, order = -1 } = how;
  const { limit } = range;
  // Not through mongoose, whose casting costs more than the rest: the types are right as they are.
  const projection = { ...UNSHOWN, ...without };
  const sort = { [timeField]: order, _id: order };
  const options = { limit, batchSize: limit + 1, sort, projection, ...(index && { hint: index }) };
  const found = model.collection.find(conditionsOf(list, range), options as never);
  return (await found.toArray()) as unknown as T[];
};

/**
 * The last of `limit` objects in a range of a list, told by the index alone.
 * @returns only its id and time; undefined where there are fewer
 */
export const readEnd = async <T>(list: ListOf<T>, range: Range): Promise<T | undefined> => {
  const { model, timeField, how } = list;
  const { index, order = -1 } = how;
  const sort = { [timeField]: order, _id: order };
  const options = { sort, projection: { [timeField]: 1 }, skip: range.limit - 1, hint: index };
  const end = await model.collection.findOne(conditionsOf(list, range) as never, options as never);
  return (end ?? undefined) as T | undefined;
};
