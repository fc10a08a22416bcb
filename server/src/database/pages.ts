import type { Model } from 'mongoose';

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
 * One page of `filter`, newest first by (`timeField`, _id), read as a range of the index that begins with the
 * filter's fields: page 10 000 costs what page 1 costs.
 * @returns at most `limit` + 1 documents; the one too many says that there is a next page.
 */
export const findPage = async <T extends { _id: string }>(
  model: Model<T>,
  filter: object,
  timeField: keyof T & string,
  page: Page,
): Promise<T[]> => {
  const { after, from, until } = page;
  const upTo = after && (!until || after.time < until) ? { $lte: after.time } : until && { $lt: until };
  const range = { ...(from && { $gte: from }), ...upTo };
  const conditions: Record<string, unknown> = { ...filter };
  if (Object.keys(range).length > 0) conditions[timeField] = range;
  // Inside the index range only the objects of the cursor's own millisecond are told apart by id.
  if (after) conditions.$or = [{ [timeField]: { $lt: after.time } }, { _id: { $lt: after.id } }];
  // Not through mongoose, whose casting costs more than the rest: the types are right as they are.
  const options = { limit: page.limit + 1, batchSize: page.limit + 2, sort: { [timeField]: -1, _id: -1 } };
  return (await model.collection.find(conditions, options as never).toArray()) as unknown as T[];
};
