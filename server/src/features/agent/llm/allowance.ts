import type { Model } from 'mongoose';
import { duplicateFields } from '../../../database/duplicate.ts';
import { defineModel } from '../../../database/model.ts';
import { LlmError } from './completion.ts';

/** What was used of the language model: in one UTC day by an account or the server, or in a conversation. */
export interface StoredUsage {
  /** `<account> <day>`, `<account> <room>`, or `server <day>`. */
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

const DAY_MS = 86_400_000;
const DAY_KEPT_MS = 3 * DAY_MS;
/** A conversation's budget expires this long after its last use. */
const CONVERSATION_KEPT_MS = 30 * DAY_MS;

/** How many tokens may be used; 0 for any number. */
export interface TokenBudgets {
  conversation: number;
  /** Of an account in a UTC day, and of all accounts together. */
  account: number;
  server: number;
}

/**
 * The budgets of tokens, which hold across processes. What a call may take is booked before it, so that many at
 * once keep them, too; a process that dies in between leaves the booking as it is.
 */
export class Allowance {
  readonly #usage: UsageModel;
  readonly #budgets: TokenBudgets;

  constructor(usage: UsageModel, budgets: TokenBudgets) {
    this.#usage = usage;
    this.#budgets = budgets;
  }

  /**
   * Books tokens in every budget, or in none.
   * @returns what corrects the booking when it is known what the call took
   * @throws LlmError that says which budget is used up
   */
  async take(
    { account, room }: { account: string; room: string },
    tokens: number,
    now = new Date(),
  ): Promise<(used: number) => Promise<void>> {
    const { conversation, account: daily, server } = this.#budgets;
    const day = now.toISOString().slice(0, 10);
    const until = (milliseconds: number) => new Date(now.getTime() + milliseconds);
    const wanted: Budget[] = [
      {
        _id: `${account} ${room}`,
        limit: conversation,
        expires_at: until(CONVERSATION_KEPT_MS),
        of: 'the conversation',
      },
      { _id: `${account} ${day}`, limit: daily, expires_at: until(DAY_KEPT_MS), of: 'the account today' },
      { _id: `server ${day}`, limit: server, expires_at: until(DAY_KEPT_MS), of: 'the server today' },
    ];
    const booked: Budget[] = [];
    for (const budget of wanted.filter(({ limit }) => limit > 0)) {
      booked.push(budget);
      if ((await this.#add(budget, tokens)) <= budget.limit) continue;
      await Promise.all(booked.map((one) => this.#add(one, -tokens)));
      throw new LlmError(`the tokens of ${budget.of} are used up`);
    }
    return async (used) => {
      if (used !== tokens) await Promise.all(booked.map((one) => this.#add(one, used - tokens)));
    };
  }

  /** @returns what is booked then */
  async #add({ _id, expires_at }: Budget, count: number): Promise<number> {
    const add = () =>
      this.#usage
        .findOneAndUpdate(
          { _id },
          { $inc: { tokens: count }, $max: { expires_at } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean<StoredUsage>();
    const booked = await add().catch((error) => {
      // The first two calls came at once.
      if (!duplicateFields(error)) throw error;
      return add();
    });
    return booked?.tokens ?? 0;
  }
}

interface Budget {
  _id: string;
  limit: number;
  expires_at: Date;
  of: string;
}
