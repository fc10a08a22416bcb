import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Attempt } from './attempt.ts';
import { type DeliveryModel, type StoredAttempt, type StoredDelivery, settled } from './deliveries.model.ts';
import type { RetryDecision } from './retries.ts';

/** How long to wait before results are written again after the database refused them. */
const AGAIN_AFTER_MS = 500;

/** Results of this interval go in one batch. */
const GATHERED_FOR_MS = 10;

/** Batch size, and writes in flight: the database need not wait. */
const BATCH = 250;
const WRITES = 2;

/** Told of each delivery that arrived. */
export type DeliveredListener = (delivery: Pick<StoredDelivery, 'event' | 'body'>, at: Date) => Promise<void>;

interface Result {
  operation: object;
  announce: (() => Promise<void>) | undefined;
  done(): void;
}

/** What the log keeps of an attempt. */
const logged = ({ at, status, duration_ms, error, response }: Attempt): StoredAttempt => ({
  at,
  status,
  duration_ms,
  error,
  response,
});

/**
 * Writes down what came of attempts. Results that come while a write is on its way go together in the next one;
 * a database that is gone is waited for, since what is not written down would be sent again.
 */
export class AttemptRecorder {
  readonly #deliveries: DeliveryModel;
  readonly #onDelivered: DeliveredListener | undefined;
  readonly #log: Logger;
  #results: Result[] = [];
  readonly #writes = new Set<Promise<void>>();
  /** Results that a write is on its way for. */
  #underWay = 0;
  #stopped = false;
  /** Attempts of this process by what came of them. */
  readonly counts: Record<RetryDecision['kind'], number> = { delivered: 0, gone: 0, retry: 0, failed: 0 };

  constructor(deliveries: DeliveryModel, onDelivered: DeliveredListener | undefined, log: Logger) {
    this.#deliveries = deliveries;
    this.#onDelivered = onDelivered;
    this.#log = log;
  }

  /** How many results are not written down yet. */
  get backlog(): number {
    return this.#results.length + this.#underWay;
  }

  /** @returns when it is written down; with a retry, when the delivery is due again. */
  async record(
    delivery: Pick<StoredDelivery, '_id' | 'tries' | 'event' | 'body'>,
    attempt: Attempt,
    decision: RetryDecision,
  ): Promise<Date | undefined> {
    const { _id, tries } = delivery;
    this.counts[decision.kind]++;
    const due = decision.kind === 'retry' ? new Date(Date.now() + decision.after) : undefined;
    const noted = { $push: { attempts: logged(attempt) }, $inc: { tries: 1 } };
    const decided = due
      ? { $set: { due_at: due } }
      : settled(decision.kind === 'delivered' ? 'delivered' : 'failed');
    // Written a second time, as after a lost acknowledgement, it changes nothing. A delivery that was dropped in
    // flight stays dropped, unless it did arrive.
    const filter =
      decision.kind === 'delivered' ? { _id, state: { $ne: 'delivered' } } : { _id, state: 'pending', tries };
    await new Promise<void>((done) => {
      const operation = { updateOne: { filter, update: { ...noted, ...decided } } };
      const announce =
        decision.kind === 'delivered' ? this.#onDelivered?.bind(undefined, delivery, attempt.at) : undefined;
      this.#results.push({ operation, announce, done });
      if (this.#writes.size < WRITES) this.#startWriting();
    });
    return due;
  }

  /** Writes what there is, once more at most, and then gives up: what is lost is sent again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#writes);
  }

  #startWriting(): void {
    const run = this.#write().finally(() => {
      this.#writes.delete(run);
      // Something may have come when this one had already looked for the last time.
      if (this.#results.length > 0 && !this.#stopped && this.#writes.size === 0) this.#startWriting();
    });
    this.#writes.add(run);
  }

  async #write(): Promise<void> {
    do {
      await sleep(GATHERED_FOR_MS);
      const batch = this.#results.splice(0, BATCH);
      if (batch.length === 0) return;
      this.#underWay += batch.length;
      const isDone = await this.#writeDown(batch);
      this.#underWay -= batch.length;
      if (!isDone) return;
      for (const { done } of batch) done();
    } while (this.#results.length > 0);
  }

  /** @returns false when this was given up */
  async #writeDown(batch: readonly Result[]): Promise<boolean> {
    for (;;) {
      try {
        await Promise.all(batch.map(({ announce }) => announce?.()));
        // Past mongoose, whose casting would cost as much as the sending.
        await this.#deliveries.collection.bulkWrite(batch.map(({ operation }) => operation) as never, {
          ordered: false,
        });
        return true;
      } catch (error) {
        if (this.#stopped) return false;
        this.#log.warn({ err: error, results: this.backlog }, 'recording deliveries failed; trying again');
        await sleep(AGAIN_AFTER_MS);
      }
    }
  }
}
