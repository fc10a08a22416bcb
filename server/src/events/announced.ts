import { type Model, mongo } from 'mongoose';
import type { Logger } from 'pino';
import type { EventHolder, OutboxEvent } from './events.ts';

export type HolderModel = Model<EventHolder>;

/** An event on its way from its document to the consumers. */
export interface Announcement {
  model: HolderModel;
  holder: string;
  event: OutboxEvent;
  /** What it takes in memory, about. */
  bytes: number;
  /** When it was last seen to wait in its document, by the clock of `performance`. */
  seenAt: number;
  /** All consumers have it; what is left is to take it out of its document. */
  isAnnounced?: true;
}

/** What an event takes in memory besides what it says: its objects, and its places in queues. */
const EVENT_BYTES = 1_024;

export const announcementOf = (model: HolderModel, holder: string, event: OutboxEvent): Announcement => ({
  model,
  holder,
  event,
  bytes: EVENT_BYTES + mongo.BSON.calculateObjectSize(event),
  seenAt: performance.now(),
});

/** Writes what a consumer has gathered until now. */
export type Flush = () => Promise<void>;

/**
 * Announced events leave their documents together, this long after: one command for many costs a fraction of one
 * for each. A crash in between has them announced again, which changes nothing.
 */
const REMOVE_AFTER_MS = 200;

/** Events that all consumers have, and that are still in their documents. */
export class Announced {
  readonly #log: Logger;
  readonly #left: (event: OutboxEvent) => void;
  readonly #flushes: Flush[] = [];
  readonly #running = new Set<Promise<boolean>>();
  #waiting: Announcement[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param left told of each that has left its document, or stays there to be announced again */
  constructor(log: Logger, left: (event: OutboxEvent) => void) {
    this.#log = log;
    this.#left = left;
  }

  /** To be called before events leave their documents; when it fails they stay. */
  before(flush: Flush): void {
    this.#flushes.push(flush);
  }

  add(batch: readonly Announcement[]): void {
    for (const announcement of batch) announcement.isAnnounced = true;
    this.#waiting.push(...batch);
    this.#timer ??= setTimeout(() => this.#start(), REMOVE_AFTER_MS);
  }

  /**
   * Takes out what there is now, and waits for all that is under way.
   * @returns false where some of it stays in its documents
   */
  async remove(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#start();
    return (await Promise.all(this.#running)).every(Boolean);
  }

  #start(): void {
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    const run = this.#take(batch)
      .then(() => true)
      .catch((error) => {
        this.#log.warn({ err: error }, 'events stay: taking them out of their documents failed');
        return false;
      })
      .finally(() => {
        for (const { event } of batch) this.#left(event);
        this.#running.delete(run);
      });
    this.#running.add(run);
  }

  async #take(batch: readonly Announcement[]): Promise<void> {
    for (const flush of this.#flushes) await flush();
    for (const model of new Set(batch.map((announcement) => announcement.model))) {
      const own = batch.filter((announcement) => announcement.model === model);
      const holders = { _id: { $in: [...new Set(own.map(({ holder }) => holder))] } };
      const taken = { id: { $in: own.map(({ event }) => event.id) } };
      // Most documents hold one event, and lose the whole field; the rest takes two steps more.
      const single = { ...holders, events: { $size: 1 }, 'events.id': taken.id };
      const { modifiedCount } = await model.updateMany(single, { $unset: { events: 1 } });
      if (modifiedCount === own.length) continue;
      await model.updateMany({ ...holders, 'events.id': taken.id }, { $pull: { events: taken } } as never);
      await model.updateMany({ ...holders, events: { $size: 0 } }, { $unset: { events: 1 } });
    }
  }
}
