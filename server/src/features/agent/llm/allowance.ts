import type { Booking, Budget, Budgets, CorrectOptions } from '../../../database/budgets.ts';
import { LlmError } from './completion.ts';

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

/** The budgets of tokens, which hold across processes. */
export class Allowance {
  readonly #budgets: Pick<Budgets, 'take'>;
  readonly #limits: TokenBudgets;

  constructor(budgets: Pick<Budgets, 'take'>, limits: TokenBudgets) {
    this.#budgets = budgets;
    this.#limits = limits;
  }

  /**
   * Books tokens in every budget, or in none.
   * @param correction how the booking is corrected, or taken back where not all of it could be made
   * @returns what corrects the booking when it is known what the call took
   * @throws LlmError that says which budget is used up
   */
  async take(
    { account, room }: { account: string; room: string },
    tokens: number,
    correction: CorrectOptions,
    now = new Date(),
  ): Promise<Booking['correct']> {
    const { conversation, account: daily, server } = this.#limits;
    const day = now.toISOString().slice(0, 10);
    const budget = (_id: string, limit: number, kept: number, of: string): Budget & { of: string } => ({
      _id,
      limit,
      expires_at: new Date(now.getTime() + kept),
      of,
    });
    const taken = await this.#budgets.take(
      [
        budget(`${account} tokens ${room}`, conversation, CONVERSATION_KEPT_MS, 'the conversation'),
        budget(`${account} tokens ${day}`, daily, DAY_KEPT_MS, 'the account today'),
        budget(`server tokens ${day}`, server, DAY_KEPT_MS, 'the server today'),
      ],
      tokens,
      correction,
    );
    if ('exceeded' in taken) throw new LlmError(`the tokens of ${taken.exceeded.of} are used up`);
    return taken.booking.correct;
  }
}
