import type { Model } from 'mongoose';
import { duplicateFields } from './duplicate.ts';
import { defineModel } from './model.ts';

/** What was used of one budget. */
export interface StoredUsage {
  /** Whose, of what, and when, as in `<account> mails 2026-11-22`; `server …` is all accounts together. */
  _id: string;
  used: number;
  expires_at: Date;
}

export type UsageModel = Model<StoredUsage>;

export const usageModel = defineModel<StoredUsage>('Usage', { _id: String, used: Number, expires_at: Date }, [
  [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
]);

/** So much of something; the budget is forgotten at `expires_at`, which is later than its end. */
export interface Budget {
  _id: string;
  /** 0: any number. */
  limit: number;
  expires_at: Date;
}

/** What was booked; `correct` sets it to what was used in the end, 0 when nothing was. */
export interface Booking {
  correct(used: number): Promise<void>;
}

/**
 * Budgets that hold across processes. What may be used is booked before it is, so that many at once keep them, too; a
 * process that dies in between leaves the booking as it is.
 */
export class Budgets {
  readonly #usage: UsageModel;

  constructor(usage: UsageModel) {
    this.#usage = usage;
  }

  /**
   * Books `count` in every budget, or in none.
   * @returns the booking, or the first budget that is exceeded
   */
  async take<B extends Budget>(
    wanted: readonly B[],
    count: number,
  ): Promise<{ booking: Booking } | { exceeded: B }> {
    const booked: B[] = [];
    const add = (change: number) => Promise.all(booked.map((budget) => this.#add(budget, change)));
    for (const budget of wanted.filter(({ limit }) => limit > 0)) {
      booked.push(budget);
      if ((await this.#add(budget, count)) <= budget.limit) continue;
      await add(-count);
      return { exceeded: budget };
    }
    return {
      booking: {
        correct: async (used) => {
          if (used !== count) await add(used - count);
        },
      },
    };
  }

  /** @returns what is booked then */
  async #add({ _id, expires_at }: Budget, change: number): Promise<number> {
    const add = () =>
      this.#usage
        .findOneAndUpdate(
          { _id },
          { $inc: { used: change }, $max: { expires_at } },
          { upsert: true, returnDocument: 'after' },
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
