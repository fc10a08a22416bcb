import type { Model } from 'mongoose';
import { duplicateFields } from '../../database/duplicate.ts';
import { defineModel } from '../../database/model.ts';
import { LlmError } from './completion.ts';

/** What an account's workflows have used of the language model in one UTC day. */
export interface StoredUsage {
  /** The account and the day. */
  _id: string;
  tokens: number;
  expires_at: Date;
}

export type UsageModel = Model<StoredUsage>;

export const usageModel = defineModel<StoredUsage>(
  'LlmUsage',
  { _id: String, tokens: Number, expires_at: Date },
  [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);

const KEPT_FOR = 3 * 86_400_000;

/** The cap on tokens per account and day. What a call may take is booked before it, so that many at once keep it, too. */
export class Allowance {
  readonly #usage: UsageModel;
  readonly #limit: number;

  /** @param limit tokens a day; 0 for any number */
  constructor(usage: UsageModel, limit: number) {
    this.#usage = usage;
    this.#limit = limit;
  }

  /**
   * Books tokens.
   * @returns what corrects the booking when it is known what the call took
   * @throws LlmError when the day's tokens are used up
   */
  async take(account: string, tokens: number, now = new Date()): Promise<(used: number) => Promise<void>> {
    if (this.#limit === 0) return async () => undefined;
    const _id = `${account} ${now.toISOString().slice(0, 10)}`;
    const add = (count: number) =>
      this.#usage
        .findOneAndUpdate(
          { _id },
          { $inc: { tokens: count }, $setOnInsert: { expires_at: new Date(now.getTime() + KEPT_FOR) } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean<StoredUsage>();
    const booked = await add(tokens).catch((error) => {
      // The day's first two calls came at once.
      if (!duplicateFields(error)) throw error;
      return add(tokens);
    });
    if ((booked?.tokens ?? 0) > this.#limit) {
      await add(-tokens);
      throw new LlmError("the account's tokens of today are used up");
    }
    return async (used) => {
      if (used !== tokens) await add(used - tokens);
    };
  }
}
