import type { Model } from 'mongoose';
import { notFound } from '../errors.ts';
import type { OutboxEvent } from '../outbox/events.ts';

interface Versioned {
  _id: string;
  /** Counts the writes. */
  version: number;
}

/** What a change sets, and the events that it causes; undefined leaves the document as it is. */
export interface Change<T> {
  set: Partial<T>;
  events?: OutboxEvent[];
}

/**
 * Changes one document by compare-and-set: `decide` sees it as it stands and says what to set, and runs again
 * when another writer came between. So a precondition that `decide` checks holds at the moment of the write,
 * and events say what really changed.
 * @throws ParlorError `not_found` when nothing matches `filter`, and whatever `decide` throws.
 */
export const changeDocument = async <T extends Versioned>(
  model: Model<T>,
  filter: object,
  decide: (current: T) => Change<T> | undefined | Promise<Change<T> | undefined>,
): Promise<T> => {
  for (;;) {
    const current = await model.findOne(filter as never).lean<T>();
    if (!current) throw notFound();
    const change = await decide(current);
    if (!change) return current;
    const changed = await model
      .findOneAndUpdate(
        { _id: current._id, version: current.version } as never,
        {
          $set: change.set,
          $inc: { version: 1 },
          ...(change.events?.length && { $push: { events: { $each: change.events } } }),
        } as never,
        { returnDocument: 'after' },
      )
      .lean<T>();
    if (changed) return changed;
  }
};

/** The fields of `wanted` that differ from `current`; undefined when none does. */
export const differences = <T extends object>(current: T, wanted: Partial<T>): Partial<T> | undefined => {
  const changed = Object.entries(wanted).filter(([name, value]) => current[name as keyof T] !== value);
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Partial<T>);
};
