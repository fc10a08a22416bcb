import { type Model, mongo } from 'mongoose';
import { notFound } from '../platform/errors.ts';
import { Tries } from '../platform/tries.ts';
import type { EventHolder, OutboxEvent } from './events.ts';
import type { Tombstones } from './tombstones.ts';

interface Deletable extends EventHolder {
  created_at: Date;
  /** Absent where documents never change. */
  version?: number;
}

/** What else a deletion does, before the document goes. */
interface Options<T> {
  /** A precondition; it throws when that does not hold. */
  check?: ((current: T) => void | Promise<void>) | undefined;
  /** The events of the deletion. */
  events?: ((current: T) => readonly OutboxEvent[]) | undefined;
  /** Which events that still wait say what was deleted, and nobody has to hear any more; none unless given. */
  isUnsaid?: ((event: OutboxEvent) => boolean) | undefined;
}

const isMadeAnew = (before: Deletable, now: Deletable): boolean =>
  now._id === before._id && Number(now.created_at) !== Number(before.created_at);

/**
 * Deletes one document by compare-and-set, as `changeDocument` changes one: a precondition that `check` tests
 * holds at the moment of the delete, and no event that the document still carries is lost but what `isUnsaid` names.
 * @returns the document as it was
 * @throws ParlorError `not_found` when nothing matches `filter`, and whatever `check` throws.
 */
export const deleteDocument = async <T extends Deletable>(
  model: Model<T>,
  filter: object,
  tombstones: Tombstones,
  { check, events: eventsOf, isUnsaid = () => false }: Options<T> = {},
): Promise<T> => {
  const collection = model.collection.collectionName;
  let last: T | undefined;
  for (const tries = new Tries(`a deletion from ${collection}`); ; ) {
    tries.next();
    const current = await model.findOne(filter as never).lean<T>();
    // One that was made anew meanwhile has its id, and may have its version: what was to be deleted is gone.
    if (!current || (last && isMadeAnew(last, current))) throw notFound();
    last = current;
    await check?.(current);
    const { _id, created_at, version } = current;
    const [event, ...more] = eventsOf?.(current) ?? [];
    const deletion = event && {
      collection,
      holder: _id,
      created_at,
      event,
      ...(more.length > 0 && { more }),
    };
    const waiting = current.events?.filter((one) => !isUnsaid(one)) ?? [];
    const burial = await tombstones.bury([{ _id, events: waiting }], deletion);
    // null stands for a document that was never changed.
    const { deletedCount } = await model.collection.deleteOne({
      _id: _id as never,
      version: version ?? null,
      ...(created_at !== undefined && { created_at }),
    } as never);
    if (deletedCount === 1) {
      await burial.done();
      return current;
    }
    await burial.cancel();
  }
};

/** How many documents go at a time. */
const BATCH = 500;

/** The batch size of the cursor that reads them. */
const SENT_TOGETHER = 100;

/** How much their events may have: they are copied into one document, for which a full disk has to have room before any goes. */
const MAX_BYTES = 256 * 1_024;

const bytesOf = ({ events = [] }: EventHolder): number => mongo.BSON.calculateObjectSize(events);

/** Deletes all documents that match; the events that wait in them are not lost. */
export const deleteDocuments = async <T extends EventHolder>(
  model: Model<T>,
  filter: object,
  tombstones: Tombstones,
): Promise<void> => {
  const bury = async (some: readonly EventHolder[]): Promise<void> => {
    const burial = await tombstones.bury(some);
    const buried = some.flatMap(({ events = [] }) => events.map(({ id }) => id));
    // What has got another event since is read again.
    const isBuried = { $not: { $elemMatch: { id: { $nin: buried } } } };
    await model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) }, events: isBuried } as never);
    await burial.done();
  };
  for (let isAny = true; isAny; ) {
    isAny = false;
    const options = { projection: { events: 1 }, batchSize: SENT_TOGETHER };
    let some: EventHolder[] = [];
    let bytes = 0;
    // The driver's own cursor: one of mongoose stays open where it is not read to its end.
    for await (const holder of model.collection.find<EventHolder>(filter, options)) {
      isAny = true;
      const own = bytesOf(holder);
      if (some.length === BATCH || (some.length > 0 && bytes + own > MAX_BYTES)) {
        await bury(some);
        some = [];
        bytes = 0;
      }
      some.push(holder);
      bytes += own;
    }
    if (some.length > 0) await bury(some);
  }
};
