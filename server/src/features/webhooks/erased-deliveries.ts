import type { Logger } from 'pino';
import { Sweeper } from '../../platform/sweeper.ts';
import { type DeliveryModel, settled } from './deliveries.model.ts';

/**
 * What waits when its words are erased is still sent, since every event is delivered; but no longer than this, which
 * is longer than all attempts of a delivery take unless its target is paused.
 */
const SENT_FOR_MS = 7 * 86_400_000;

const SWEEP_EVERY_MS = 2_000;
const BATCH = 500;

/** A delivery whose words were erased: neither what was sent nor what was answered. */
const REDACTED = { body: '', 'attempts.$[].response': '' } as const;

/** Takes what visitors and customers said out of deliveries: at once where they are decided, else when they are. */
export class ErasedDeliveries {
  readonly #deliveries: DeliveryModel;
  readonly #sweeper: Sweeper;

  constructor(deliveries: DeliveryModel, log: Logger) {
    this.#deliveries = deliveries;
    this.#sweeper = new Sweeper({
      sweep: () => this.resume(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'erased deliveries wait for the database',
    });
  }

  /** @param filter which of a subject's deliveries; all of them unless it says more */
  async redact(subject: string, filter: object = {}, now = new Date()): Promise<void> {
    const own = { ...filter, subject };
    // Marked first: one that is decided in between is found by its mark.
    const erase_by = new Date(now.getTime() + SENT_FOR_MS);
    const unmarked = { ...own, state: 'pending' as const, erase_by: { $exists: false } };
    await this.#deliveries.updateMany(unmarked, { $set: { erase_by } });
    await this.#deliveries.updateMany({ ...own, state: { $ne: 'pending' } }, { $set: REDACTED });
  }

  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  /** Redacts what was marked and is decided by now, and gives up what waited too long. */
  async resume(now = new Date()): Promise<void> {
    const overdue = { erase_by: { $lte: now }, state: 'pending' as const };
    await this.#deliveries.updateMany(overdue, settled('dropped', now));
    for (;;) {
      const marked = await this.#deliveries
        .find({ erase_by: { $gt: new Date(0) }, state: { $ne: 'pending' } }, { _id: 1 })
        .limit(BATCH)
        .lean();
      if (marked.length === 0) return;
      const ids = { _id: { $in: marked.map(({ _id }) => _id) } };
      await this.#deliveries.updateMany(ids, { $set: REDACTED, $unset: { erase_by: 1 } });
    }
  }
}
