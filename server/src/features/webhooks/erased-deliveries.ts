import type { Logger } from 'pino';
import { EVER, toldBefore } from '../../database/has-come.ts';
import { isDocumentRefused } from '../../database/refused.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import { type DeliveryModel, type StoredDelivery, settled } from './deliveries.model.ts';

/**
 * What waits when its words are erased is still sent, since every event is delivered; but no longer than this, which
 * is longer than all attempts of a delivery take unless its target is paused.
 */
const SENT_FOR_MS = 7 * 86_400_000;

const SWEEP_EVERY_MS = 2_000;
const BATCH = 500;

/** A delivery whose words were erased: neither what was sent nor what was answered. */
const REDACTED = { body: '', 'attempts.$[].response': '' } as const;

/** What one that waits loses at once. */
const UNANSWERED = { 'attempts.$[].response': '' } as const;

/** The same of those whose attempts are damaged, and can't be gone through. */
const NO_ATTEMPTS = { attempts: [] as never[] };
const EMPTIED = { body: '', ...NO_ATTEMPTS };

const ANSWERED = { state: 'pending' as const, 'attempts.response': { $gt: '' } };

const UNMARKED = { $unset: { erase_by: 1 } } as const;

/**
 * Takes what visitors and customers said out of deliveries: at once where they are decided, else when they are. Of those that
 * are not, what was answered goes at once, and what is sent is marked: nothing but the sender reads it any more.
 */
export class ErasedDeliveries {
  readonly #deliveries: DeliveryModel;
  readonly #log: Logger;
  readonly #sweeper: Sweeper;

  constructor(deliveries: DeliveryModel, log: Logger) {
    this.#deliveries = deliveries;
    this.#log = log;
    this.#sweeper = new Sweeper({
      sweep: () => this.resume(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'erased deliveries wait for the database',
    });
  }

  /** @param before those of a subject that were made before this, or tell of what happened before; all of them without it */
  async redact(subject: string, before?: Date, now = new Date()): Promise<void> {
    const own = { subject, ...(before && toldBefore('created_at', 'event_at', before)) };
    // Marked first: one that is decided in between is found by its mark.
    const erase_by = new Date(now.getTime() + SENT_FOR_MS);
    const unmarked = { ...own, state: 'pending' as const, erase_by: { $exists: false } };
    await this.#deliveries.updateMany(unmarked, { $set: { erase_by } });
    await this.#redactAll({ ...own, ...ANSWERED }, {}, [UNANSWERED, NO_ATTEMPTS]);
    await this.#redactAll({ ...own, state: { $ne: 'pending' } });
  }

  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  /** Redacts what was marked and is decided by now, or was answered since, and gives up what waited too long. */
  async resume(now = new Date()): Promise<void> {
    await this.#redactAll({ erase_by: { $gt: EVER }, ...ANSWERED }, {}, [UNANSWERED, NO_ATTEMPTS]);
    const overdue = { erase_by: { $lte: now }, state: 'pending' as const };
    await this.#deliveries.updateMany(overdue, settled('dropped', now));
    const marked = this.#deliveries
      .find({ erase_by: { $gt: EVER }, state: { $ne: 'pending' } }, { _id: 1 })
      .sort({ erase_by: 1 })
      .lean<Pick<StoredDelivery, '_id'>[]>()
      .cursor({ batchSize: BATCH });
    let ids: string[] = [];
    for await (const { _id } of marked) {
      if (ids.push(_id) < BATCH) continue;
      await this.#redactAll({ _id: { $in: ids } }, UNMARKED);
      ids = [];
    }
    if (ids.length > 0) await this.#redactAll({ _id: { $in: ids } }, UNMARKED);
  }

  /** Redacts with one command; where a damaged one refuses that, one by one, so that it keeps no other back. */
  async #redactAll(
    filter: object,
    unmarked: typeof UNMARKED | object = {},
    [words, ofDamaged]: readonly [object, object] = [REDACTED, EMPTIED],
  ): Promise<void> {
    try {
      await this.#deliveries.updateMany(filter, { $set: words, ...unmarked });
    } catch (error) {
      if (!isDocumentRefused(error)) throw error;
      const all = await this.#deliveries.find(filter, { _id: 1 }).lean();
      for (const { _id } of all) await this.#redactOne(_id, unmarked, [words, ofDamaged]);
    }
  }

  async #redactOne(_id: string, unmarked: object, all: readonly object[]): Promise<void> {
    for (const words of all) {
      try {
        await this.#deliveries.updateOne({ _id }, { $set: words, ...unmarked });
        return;
      } catch (error) {
        if (!isDocumentRefused(error)) throw error;
        this.#log.error(
          { err: error, delivery: _id },
          'a delivery is damaged: erasing its words was refused',
        );
      }
    }
  }
}
