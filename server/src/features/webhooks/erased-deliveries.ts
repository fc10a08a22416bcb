import type { Logger } from 'pino';
import { type DeliveryModel, settled } from './deliveries.model.ts';

/**
 * What waits when its words are erased is still sent, since every event is delivered; but no longer than this, which
 * is longer than all attempts of a delivery take unless its target is paused.
 */
const SENT_FOR = 7 * 86_400_000;

const LOOK_EVERY = 2_000;
const BATCH = 500;

/** A delivery whose words were erased: neither what was sent nor what was answered. */
const REDACTED = { body: '', 'attempts.$[].response': '' } as const;

/** Takes what visitors and customers said out of deliveries: at once where they are decided, else when they are. */
export class ErasedDeliveries {
  readonly #deliveries: DeliveryModel;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(deliveries: DeliveryModel, log: Logger) {
    this.#deliveries = deliveries;
    this.#log = log;
  }

  /** @param filter which of a subject's deliveries; all of them unless it says more */
  async redact(subject: string, filter: object = {}, now = new Date()): Promise<void> {
    const own = { ...filter, subject };
    // Marked first: one that is decided in between is found by its mark.
    const erase_by = new Date(now.getTime() + SENT_FOR);
    const unmarked = { ...own, state: 'pending' as const, erase_by: { $exists: false } };
    await this.#deliveries.updateMany(unmarked, { $set: { erase_by } });
    await this.#deliveries.updateMany({ ...own, state: { $ne: 'pending' } }, { $set: REDACTED });
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY);
    void this.#look();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
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

  #look(): Promise<void> {
    this.#running ??= this.resume()
      .catch((error) => this.#log.warn({ err: error }, 'erased deliveries wait for the database'))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }
}
