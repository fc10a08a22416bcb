import type { Logger } from 'pino';
import { EVER, toldBefore } from '../../database/has-come.ts';
import { isDocumentRefused } from '../../database/refused.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import { type DeliveryModel, type StoredDelivery, settledErased } from './deliveries.model.ts';

/**
 * What waits when its words are erased is still sent, since every event is delivered; but no longer than this, which
 * is longer than all attempts of a delivery take unless its target is paused.
 */
const SENT_FOR_MS = 7 * 86_400_000;

/** Whoever decides a delivery takes its words out; this is for what an older version decided, and for what waited too long. */
const SWEEP_EVERY_MS = 600_000;
const BATCH = 500;

/**
 * A delivery whose words were erased: neither what was sent nor what was answered. Nothing finds it by its subject any more, so
 * that erasing one of many goes on where it was broken off. The second is for damaged attempts, which can't be gone through.
 */
const ERASED_NOW = { $unset: { erase_by: 1, subject: 1 } } as const;
const REDACTED = [
  { $set: { body: '', 'attempts.$[].response': '' }, ...ERASED_NOW },
  { $set: { body: '', attempts: [] as never[] }, ...ERASED_NOW },
] as const;

/** What one that waits loses at once. */
const UNANSWERED = [
  { $set: { 'attempts.$[].response': '' } },
  { $set: { attempts: [] as never[] } },
] as const;

type Change = typeof REDACTED | typeof UNANSWERED;

const ANSWERED = { state: 'pending' as const, 'attempts.response': { $gt: '' } };

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
    await this.#changeAll({ ...own, ...ANSWERED }, UNANSWERED);
    await this.#changeAll({ ...own, state: { $ne: 'pending' } }, REDACTED);
  }

  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  /** Redacts what was marked and is decided by now, or was answered since, and gives up what waited too long. */
  async resume(now = new Date()): Promise<void> {
    await this.#changeAll({ erase_by: { $gt: EVER }, ...ANSWERED }, UNANSWERED);
    const overdue = { erase_by: { $lte: now }, state: 'pending' as const };
    await this.#deliveries.updateMany(overdue, settledErased('dropped', now));
    const marked = this.#deliveries
      .find({ erase_by: { $gt: EVER }, state: { $ne: 'pending' } }, { _id: 1 })
      .sort({ erase_by: 1 })
      .lean<Pick<StoredDelivery, '_id'>[]>()
      .cursor({ batchSize: BATCH });
    let ids: string[] = [];
    for await (const { _id } of marked) {
      if (ids.push(_id) < BATCH) continue;
      await this.#changeAll({ _id: { $in: ids } }, REDACTED);
      ids = [];
    }
    if (ids.length > 0) await this.#changeAll({ _id: { $in: ids } }, REDACTED);
  }

  /** Changes with one command; where a damaged one refuses that, one by one, so that it keeps no other back. */
  async #changeAll(filter: object, change: Change): Promise<void> {
    try {
      await this.#deliveries.updateMany(filter, change[0]);
    } catch (error) {
      if (!isDocumentRefused(error)) throw error;
      const all = this.#deliveries.find(filter, { _id: 1 }).lean<Pick<StoredDelivery, '_id'>[]>();
      for await (const { _id } of all.cursor({ batchSize: BATCH })) await this.#changeOne(_id, change);
    }
  }

  async #changeOne(_id: string, change: Change): Promise<void> {
    for (const update of change) {
      try {
        await this.#deliveries.updateOne({ _id }, update);
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
