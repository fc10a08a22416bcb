import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from 'mongoose';
import { retryDelay } from '../platform/backoff.ts';
import type { Duration } from '../platform/duration.ts';
import { duplicateFields } from './duplicate.ts';
import { defineModel } from './model.ts';

/** What was used of one budget. */
export interface StoredUsage {
  /** Whose, of what, and when, as in `<account> mails 2026-11-22`; `server …` is all accounts together. */
  _id: string;
  used: number;
  expires_at: Date;
  /** Bookings that are still to be corrected: each is corrected once, however often that is tried. */
  open?: string[];
}

export type UsageModel = Model<StoredUsage>;

export const usageModel = defineModel<StoredUsage>(
  'Usage',
  { _id: String, used: Number, expires_at: Date, open: { type: [String], default: undefined } },
  [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);

/** So much of something; the budget is forgotten at `expires_at`, which is later than its end. */
export interface Budget {
  _id: string;
  /** 0: any number. */
  limit: number;
  expires_at: Date;
}

/** What was booked. */
export interface Booking {
  /**
   * Sets it to what was used in the end, 0 when nothing was. Each budget is tried by itself, and again in the background while
   * the database is away (docs/limits.md); what is not corrected stays booked. It never throws.
   */
  correct(used: number): Promise<void>;
}

/** How a booking is corrected. */
export interface CorrectOptions {
  /** Aborted when the process stops, and with it what waits to be tried again. */
  signal: AbortSignal;
  /** Told of each budget whose first try failed. */
  failed(error: unknown): void;
}

/** How soon a correction is tried again, some 10 minutes in all: by then the database is back, or more than this is wrong. */
const RETRY_DELAYS_MS: readonly Duration[] = [1, 2, 5, 10, 20, 30, ...Array(9).fill(60)].map(
  (s) => s * 1_000,
);

/** Corrections that a process tries again at a time: those of some 300 answers. */
const MAX_WAITING = 1_000;

/** Open bookings of a budget, more than are under way at once; older ones are those of processes that were killed. */
const MAX_OPEN = 1_000;

/**
 * Budgets that hold across processes. What may be used is booked before it is, so that many at once keep them, too; a
 * process that dies in between leaves the booking as it is.
 */
export class Budgets {
  readonly #usage: UsageModel;
  #waiting = 0;

  constructor(usage: UsageModel) {
    this.#usage = usage;
  }

  /**
   * Books `count` in every budget, or in none.
   * @param correction of a booking that is corrected later. It also takes back what was booked where not all could be; without
   * it that is tried once, and stays booked where the database was away.
   * @returns the booking, or the first budget that is exceeded
   * @throws RangeError for a count that is no positive integer, which would give back what others have booked
   */
  async take<B extends Budget>(
    wanted: readonly B[],
    count: number,
    correction?: CorrectOptions,
  ): Promise<{ booking: Booking } | { exceeded: B }> {
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`${count} can't be booked`);
    const id = correction && randomBytes(9).toString('base64url');
    const booked: B[] = [];
    const change = async (by: number): Promise<void> => {
      if (!correction || id === undefined) throw new Error('this booking was not to be corrected');
      await Promise.all(booked.map((budget) => this.#correct(budget, id, by, correction)));
    };
    for (const budget of wanted.filter(({ limit }) => limit > 0)) {
      booked.push(budget);
      const used = await this.#add(budget, count, id).catch(async (error) => {
        // In this one, too: only the answer may have been lost.
        if (correction) await change(-count);
        throw error;
      });
      if (used <= budget.limit) continue;
      if (correction) await change(-count);
      else await Promise.all(booked.map((one) => this.#add(one, -count, undefined)));
      return { exceeded: budget };
    }
    return { booking: { correct: (used) => change(used - count) } };
  }

  /** Adds what was used already, whatever its limit. */
  async add(budget: Omit<Budget, 'limit'>, count: number): Promise<void> {
    await this.#add(budget, count, undefined);
  }

  /** What was used of these, by their id, where that is something. */
  async used(ids: readonly string[]): Promise<Map<string, number>> {
    const those = { _id: { $in: ids as string[] } };
    const found = await this.#usage.find(those, { used: 1 }).lean<StoredUsage[]>();
    return new Map(found.map(({ _id, used }) => [_id, used]));
  }

  async #correct(
    budget: Budget,
    id: string,
    change: number,
    { signal, failed }: CorrectOptions,
  ): Promise<void> {
    try {
      await this.#settle(budget, id, change);
    } catch (error) {
      failed(error);
      if (!signal.aborted && this.#waiting < MAX_WAITING) void this.#correctLater(budget, id, change, signal);
    }
  }

  async #correctLater(budget: Budget, id: string, change: number, signal: AbortSignal): Promise<void> {
    this.#waiting++;
    try {
      for (let tries = 1, wait = retryDelay(1, RETRY_DELAYS_MS); wait !== undefined; ) {
        await sleep(wait, undefined, { signal, ref: false });
        if (await this.#settle(budget, id, change).then(isDone, isNotDone)) return;
        wait = retryDelay(++tries, RETRY_DELAYS_MS);
      }
    } catch {
      // The process stops.
    } finally {
      this.#waiting--;
    }
  }

  /** Changes what an open booking has booked. A second time it changes nothing, as where the first answer was lost. */
  async #settle({ _id }: Budget, id: string, change: number): Promise<void> {
    await this.#usage.updateOne({ _id, open: id }, { $inc: { used: change }, $pull: { open: id } });
  }

  /** @returns what is booked then */
  async #add(
    { _id, expires_at }: Omit<Budget, 'limit'>,
    change: number,
    id: string | undefined,
  ): Promise<number> {
    const open = id !== undefined && { $push: { open: { $each: [id], $slice: -MAX_OPEN } } };
    const add = () =>
      this.#usage
        .findOneAndUpdate(
          { _id },
          { $inc: { used: change }, $max: { expires_at }, ...open },
          { upsert: true, returnDocument: 'after', projection: { used: 1 } },
        )
        .lean<StoredUsage>();
    const booked = await add().catch((error) => {
      // The first two came at once.
      if (!duplicateFields(error)) throw error;
      return add();
    });
    return booked?.used ?? 0;
  }
}

const isDone = (): boolean => true;
const isNotDone = (): boolean => false;
