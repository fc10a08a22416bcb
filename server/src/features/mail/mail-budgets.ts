import type { Budget, Budgets } from '../../database/budgets.ts';
import type { Duration } from '../../platform/duration.ts';
import type { MailKind } from './outgoing-mails.model.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What waits for the next hour or day is spread over this interval. */
const SPREAD_MS = 60_000;

/** How many mails may go out; 0 for any number. */
export interface MailLimits {
  /** Digests to an account in a UTC day. */
  account: number;
  /** Mails of all accounts in an hour, and how many of them may be confirmations. */
  server: number;
  confirmations: number;
}

/** The budgets of mails, which hold across processes. A mail is booked once, however often it is tried. */
export class MailBudgets {
  readonly #budgets: Pick<Budgets, 'take'>;
  readonly #limits: MailLimits;

  constructor(budgets: Pick<Budgets, 'take'>, limits: MailLimits) {
    this.#budgets = budgets;
    this.#limits = limits;
  }

  /** Books a mail. @returns when to ask again, if a budget is used up */
  async take(kind: MailKind, account: string, now = Date.now()): Promise<Date | undefined> {
    const { account: daily, server, confirmations } = this.#limits;
    const own = {
      digest: [budget(`${account} mails`, daily, DAY_MS, now)],
      confirmation: [budget('server confirmations', confirmations, HOUR_MS, now)],
      // Theirs are booked when they are asked for.
      invitation: [],
      'password-reset': [],
    }[kind];
    const taken = await this.#budgets.take([...own, budget('server mails', server, HOUR_MS, now)], 1);
    if (!('exceeded' in taken)) return undefined;
    return new Date(taken.exceeded.ends + Math.random() * SPREAD_MS);
  }
}

/** A budget of the UTC hour or day that `now` is in. */
export const budget = (
  of: string,
  limit: number,
  length: Duration,
  now = Date.now(),
): Budget & { ends: number } => {
  const begins = now - (now % length);
  const ends = begins + length;
  return {
    _id: `${of} ${new Date(begins).toISOString().slice(0, 13)}`,
    limit,
    expires_at: new Date(ends + DAY_MS),
    ends,
  };
};
