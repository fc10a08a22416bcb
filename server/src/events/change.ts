import type { Model } from 'mongoose';
import { databaseAway } from '../database/unavailable.ts';
import { notFound } from '../platform/errors.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import { Tries } from '../platform/tries.ts';
import type { OutboxEvent } from './events.ts';

interface Versioned {
  _id: string;
  /** Counts the writes. */
  version: number;
  /** By which it is told from another one that was made under its id. */
  created_at?: Date;
}

/** What a change sets and takes away, and the events that it causes; undefined leaves the document as it is. */
export interface Change<T> {
  set: Partial<T>;
  unset?: readonly (keyof T & string)[];
  events?: OutboxEvent[];
}

/** Events that wait in a document are nobody's here, and may be many where one document changes often. */
const projection = { events: 0 } as const;

/**
 * Those who change one document at once do it one after another in this process: if all tried, each write would make
 * all the others try again. The limit of requests lets no more of one token wait.
 */
const MAX_WAITING = 2_000;
const turns = new KeyedMutex({ maxWaiting: MAX_WAITING, endsAll: databaseAway });

/**
 * Runs what changes one document by compare-and-set, one after another in this process.
 * @param name unique to the document
 * @throws ParlorError `throttled` when too many wait, and whatever `task` throws
 */
export const inTurnOf = <T>(name: string, task: () => Promise<T>): Promise<T> => turns.run(name, task);

/**
 * Changes one document by compare-and-set: `decide` sees it as it stands and says what to set, and runs again
 * when another writer came between. So a precondition that `decide` checks holds at the moment of the write,
 * and events say what really changed.
 * @returns the document as it stands now; its `events` are those of this change alone
 * @param decide changes no document by the same filter itself
 * @param whoNow says who changes it, as that one stands when its turn has come; `decide` gets what it says
 * @throws ParlorError `not_found` when nothing matches `filter`, `throttled` when too many wait, and whatever `whoNow` and
 * `decide` throw.
 */
export const changeDocument = <T extends Versioned, Who = unknown>(
  model: Model<T>,
  filter: object,
  decide: (current: T, who: Who) => Decision<T>,
  whoNow?: () => Promise<Who>,
): Promise<T> =>
  inTurnOf(`${model.collection.collectionName} ${JSON.stringify(filter)}`, () =>
    change(model, filter, decide, whoNow),
  );

type Decision<T> = Change<T> | undefined | Promise<Change<T> | undefined>;

const change = async <T extends Versioned, Who>(
  { collection }: Model<T>,
  filter: object,
  decide: (current: T, who: Who) => Decision<T>,
  whoNow: (() => Promise<Who>) | undefined,
): Promise<T> => {
  for (const tries = new Tries(`a change in ${collection.collectionName}`); ; ) {
    tries.next();
    const who = (await whoNow?.()) as Who;
    const current = (await collection.findOne(filter, { projection })) as T | null;
    if (!current) throw notFound();
    const change = await decide(current, who);
    if (!change) return current;
    const { set, unset = [], events = [] } = change;
    const { _id, version, created_at } = current;
    const asItWas = { _id, version, ...(created_at !== undefined && { created_at }) };
    // Past mongoose, whose casting costs more than the command: what is set has been checked against its schema.
    const changed = (await collection.findOneAndUpdate(
      asItWas as never,
      {
        $set: set,
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, 1])) }),
        $inc: { version: 1 },
        ...(events.length > 0 && { $push: { events: { $each: events } } }),
      } as never,
      { returnDocument: 'after', projection, ignoreUndefined: true },
    )) as T | null;
    if (changed) return events.length > 0 ? { ...changed, events } : changed;
  }
};

/** The fields of `wanted` that differ from `current`; undefined when none does. */
export const differences = <T extends object>(current: T, wanted: Partial<T>): Partial<T> | undefined => {
  const changed = Object.entries(wanted).filter(([name, value]) => current[name as keyof T] !== value);
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Partial<T>);
};
