import type { Logger } from 'pino';
import type { Booking, Budget, Budgets, CorrectOptions } from '../../database/budgets.ts';
import type { Duration } from '../../platform/duration.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { mailboxOf } from './mailbox.ts';
import type { MailKind } from './outgoing-mails.model.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What waits for the next hour or day is spread over this interval. */
const SPREAD_MS = 60_000;

/** How many mails of a kind a mailbox gets, from whichever accounts. Invitations are booked when they are asked for. */
const OF_MAILBOX = {
  confirmation: { count: 3, length: DAY_MS },
  'password-reset': { count: 3, length: HOUR_MS },
} as const;

/** How many mails may go out; 0 for any number. */
export interface MailLimits {
  /** Digests to an account in a UTC day. */
  account: number;
  /** Mails of all accounts in an hour, and how many of them may be confirmations. */
  server: number;
  confirmations: number;
}

/** A mail that is to go out. */
interface Wanted {
  kind: MailKind;
  account: string;
  /** The folded address that it goes to, where mails of its kind have a limit per mailbox. */
  email_key?: string | undefined;
}

/**
 * The budgets of mails, which hold across processes. A mail is booked once, however often it is tried, and only when it goes
 * out: so nobody uses up a mailbox's by asking for mails that it does not get.
 */
export class MailBudgets {
  readonly #budgets: Pick<Budgets, 'take'>;
  readonly #secrets: Pick<Secrets, 'fingerprint'>;
  readonly #limits: MailLimits;
  readonly #stopped = new AbortController();
  readonly #correction: CorrectOptions;

  constructor(
    budgets: Pick<Budgets, 'take'>,
    secrets: Pick<Secrets, 'fingerprint'>,
    limits: MailLimits,
    log: Logger,
  ) {
    this.#budgets = budgets;
    this.#secrets = secrets;
    this.#limits = limits;
    this.#correction = {
      signal: this.#stopped.signal,
      failed: (err) => log.warn({ err }, 'a mail stays booked for now: the database did not answer'),
    };
  }

  /**
   * Books a mail; where it can't be booked in all of them, in none.
   * @returns the booking; when to ask again, if a budget is used up; `never` where that is its mailbox's
   */
  async take({ kind, account, email_key }: Wanted, now = Date.now()): Promise<Date | 'never' | Booking> {
    const { account: daily, server, confirmations } = this.#limits;
    const own = {
      digest: [budget(`${account} mails`, daily, DAY_MS, now)],
      confirmation: [budget('server confirmations', confirmations, HOUR_MS, now)],
      invitation: [],
      'password-reset': [],
    }[kind];
    const mailbox = email_key === undefined ? [] : this.#ofMailbox(kind, email_key, now);
    const all = [...mailbox, ...own, budget('server mails', server, HOUR_MS, now)];
    const taken = await this.#budgets.take(all, 1, this.#correction);
    if (!('exceeded' in taken)) return taken.booking;
    if (mailbox.includes(taken.exceeded)) return 'never';
    return new Date(taken.exceeded.ends + Math.random() * SPREAD_MS);
  }

  /** Nothing is corrected any more. */
  stop(): void {
    this.#stopped.abort();
  }

  #ofMailbox(kind: MailKind, email_key: string, now: number) {
    if (kind !== 'confirmation' && kind !== 'password-reset') return [];
    const { count, length } = OF_MAILBOX[kind];
    const mailbox = this.#secrets.fingerprint('mailbox', mailboxOf(email_key));
    return [budget(`mailbox ${kind} ${mailbox}`, count, length, now)];
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
