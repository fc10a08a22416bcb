import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type DeliveryModel, settled } from './deliveries.model.ts';

/** So many rows are dropped by one write. */
const BATCH = 500;

/**
 * Drops what waits for subscriptions that are gone. However much that is, nobody waits for more than the first
 * few hundred rows: the rest goes in the background, and after a crash the search for queues that nobody looks
 * after comes upon it.
 */
export class Drops {
  readonly #deliveries: DeliveryModel;
  readonly #log: Logger;
  readonly #running = new Map<string, Promise<void>>();
  #isStopped = false;

  constructor(deliveries: DeliveryModel, log: Logger) {
    this.#deliveries = deliveries;
    this.#log = log;
  }

  /** @returns when the first rows of the queue are dropped */
  async drop(webhook: string): Promise<void> {
    if (this.#running.has(webhook) || (await this.#dropSome(webhook)) < BATCH) return;
    const rest = this.#dropRest(webhook)
      .catch((error) => this.#log.warn({ err: error, webhook }, 'dropping deliveries waits for the database'))
      .finally(() => this.#running.delete(webhook));
    this.#running.set(webhook, rest);
  }

  /** Begins nothing more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running.values());
  }

  async #dropRest(webhook: string): Promise<void> {
    for (let count = BATCH; count === BATCH && !this.#isStopped; ) {
      const begun = performance.now();
      count = await this.#dropSome(webhook);
      // Leaves the database to others for half of the time.
      await sleep(performance.now() - begun);
    }
  }

  async #dropSome(webhook: string): Promise<number> {
    const rows = await this.#deliveries
      .find({ queue: webhook }, { _id: 1 })
      .sort({ due_at: 1, sequence: 1 })
      .limit(BATCH)
      .lean();
    const ids = rows.map(({ _id }) => _id);
    if (ids.length > 0)
      await this.#deliveries.updateMany({ _id: { $in: ids }, state: 'pending' }, settled('dropped'));
    return ids.length;
  }
}
