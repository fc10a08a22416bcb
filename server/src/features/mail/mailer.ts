import type { Logger } from 'pino';
import type { EventConsumer } from '../../events/relay.ts';
import type { JobKind, OriginLimits, Result, Target } from '../../jobs/job-kind.ts';
import { JobRunner } from '../../jobs/job-runner.ts';
import type { OriginLeases } from '../../jobs/origin-leases.ts';
import { longestDelay, retryDelay } from '../../platform/backoff.ts';
import type { Duration } from '../../platform/duration.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Account, AccountModel } from '../accounts/accounts.model.ts';
import type { Digests } from './digests.ts';
import type { MailBudgets } from './mail-budgets.ts';
import type { ClaimedMail, MailQueue, WaitingMail } from './mail-queue.ts';
import type { MailType } from './mail-type.ts';
import type { MailKind } from './outgoing-mails.model.ts';
import type { SendMail } from './smtp.ts';

/** The time-out of a whole mail. */
export const MAIL_TIMEOUT_MS = 30_000;

/** The lease of a claim: twice the time-out, so that recording the result fits in. */
const LEASE_MS = 2 * MAIL_TIMEOUT_MS;

/** A budget that is used up is there again on the next day, and a digest waits no longer either. */
const DAY_MS = 86_400_000;

/** All mails go to one server, whatever their account: they are one queue. */
const QUEUE = 'mail';

interface Parts {
  queue: MailQueue;
  kinds: Record<MailKind, MailType> & { digest: Pick<Digests, 'consume' | 'adopt'> };
  budgets: Pick<MailBudgets, 'take' | 'stop'>;
  accounts: AccountModel;
  leases: OriginLeases;
  send: SendMail;
  log: Logger;
}

interface Options {
  /** The SMTP server: scheme, host and port. */
  origin: string;
  /** Milliseconds before each further attempt; after the last one a mail has failed. */
  delays: readonly Duration[];
  /** The database is this process's alone: at the start nobody else tries a mail. */
  isOnlyProcess: boolean;
}

interface MailResult extends Result {
  mail: ClaimedMail;
  /** Writes it down. */
  write(): Promise<void>;
}

/**
 * Sends what waits in the queue, each mail at least once, as webhooks are delivered: by the process that owns the SMTP
 * server, fixed by its first attempt, and tried again until the server takes it. A crash between the server's reply and
 * the record sends it again, under the same Message-ID.
 */
export class Mailer implements JobKind<WaitingMail, Target, MailResult> {
  readonly limits: OriginLimits = { perQueue: 4, perOrigin: 4, pauseAfter: 10, probeEvery: 30_000 };
  readonly places = { together: this.limits.perOrigin, ofOwner: this.limits.perOrigin };
  /** How often mails are looked for that another process has asked for, or left behind. */
  readonly sweepEvery = 1_000;
  readonly stopTimeout = 10_000;
  readonly longestDelay: Duration;
  /** Attempts of this process by what came of them; `deferred`: none was made, since a budget was used up. */
  readonly counts = { sent: 0, retry: 0, failed: 0, deferred: 0 };
  readonly #parts: Parts;
  readonly #options: Options;
  readonly #runner: JobRunner<WaitingMail, Target, MailResult>;
  /** Each mail that is under way breaks off by one of its own: of a signal that lasts, Node.js 20 keeps all that follow it. */
  readonly #underWay = new Set<AbortController>();

  constructor(parts: Parts, options: Options) {
    this.#parts = parts;
    this.#options = options;
    this.longestDelay = Math.max(DAY_MS, longestDelay(options.delays));
    this.#runner = new JobRunner(this, parts.leases, parts.log);
    parts.queue.onRequest(() => this.look());
  }

  /** Follows the events of one account: its keyword notifications are mailed. */
  consume: EventConsumer = async (events) => {
    await this.#parts.kinds.digest.consume(events);
  };

  async start(): Promise<void> {
    if (this.#options.isOnlyProcess) await this.#parts.queue.freeClaims();
    await this.#parts.kinds.digest.adopt();
    this.#runner.start();
  }

  /**
   * Begins nothing more, and finishes what is under way. What is not taken in time is broken off, and stays claimed: as after
   * a crash nobody knows whether the server has it.
   */
  async stop(): Promise<void> {
    await this.#runner.stop();
    for (const one of this.#underWay) one.abort();
    this.#parts.budgets.stop();
  }

  /** Begins what may begin; returns at once. */
  look(): void {
    this.#runner.wake(this.#options.origin, QUEUE);
  }

  async nextQueue(after: string): Promise<{ queue: string; due_at: Date } | null> {
    const [first] = after === QUEUE ? [] : await this.#parts.queue.toSend(this.longestDelay);
    return first ? { queue: QUEUE, due_at: first.due_at } : null;
  }

  read(_: string, limit: number): Promise<WaitingMail[]> {
    return this.#parts.queue.waiting(limit);
  }

  bringForward(_: string, latest: Date): Promise<boolean> {
    return this.#parts.queue.bringForward(latest);
  }

  /** The SMTP server is one for all: what it says of a single mail is no failure of it. */
  ownerOf(): string {
    return '';
  }

  async target(): Promise<Target> {
    return this.#options;
  }

  async attempt(waiting: WaitingMail): Promise<MailResult | undefined> {
    const { queue, kinds, accounts, send, log } = this.#parts;
    const kind = kinds[waiting.kind];
    const owner = await accounts.findOne({ _id: waiting.account }).lean<Account>();
    // Of one that is being deleted nothing goes out any more.
    if (!owner || owner.deleted_at) {
      await kind.forget(waiting.account);
      await queue.remove(waiting);
      return undefined;
    }
    const mail = await this.#claim(waiting, kind, owner);
    if (!mail) return undefined;
    const { batch } = mail;
    const composed = await kind.compose(owner, batch, mail);
    if (!composed) {
      await kind.forget(owner._id, batch.members);
      await (mail.kind === 'digest' ? queue.finish(mail, new Date()) : queue.end(mail));
      return undefined;
    }
    const envelope = { to: composed.to ?? owner.email, id: composed.id, date: batch.at };
    const brokenOff = new AbortController();
    this.#underWay.add(brokenOff);
    const outcome = await send(envelope, composed.content, brokenOff.signal);
    this.#underWay.delete(brokenOff);
    if (brokenOff.signal.aborted && outcome.kind !== 'sent') return undefined;
    const at = new Date();
    if (outcome.kind === 'sent') {
      this.counts.sent++;
      return this.#through(mail, kind, at, () => kind.sent(batch, at));
    }
    const { error, isWell = false } = outcome;
    const delay = outcome.kind === 'refused' ? undefined : retryDelay(mail.tries + 1, this.#options.delays);
    const isOver = delay === undefined;
    this.counts[isOver ? 'failed' : 'retry']++;
    log.warn(
      { mail: mail._id, reason: error },
      isOver ? 'a mail failed for good' : 'a mail failed; trying again',
    );
    if (isOver) return { ...this.#through(mail, kind, at, () => kind.failed(batch, error)), isWell };
    const due = new Date(at.getTime() + delay);
    return { mail, isWell, due, write: () => queue.retry(mail, due, error) };
  }

  async record(results: readonly MailResult[]): Promise<void> {
    await Promise.all(results.map((result) => result.write()));
  }

  async recordRefused({ mail }: MailResult, error: unknown): Promise<void> {
    await this.#parts.queue.remove(mail);
    this.#parts.log.error({ err: error, mail: mail._id }, 'a mail was given up: what came of it is refused');
  }

  /** Whoever asked for the mail while it was sent has only changed it. */
  async recorded(): Promise<void> {
    this.look();
  }

  /** Never asked for: the target is always there. */
  async drop(): Promise<boolean> {
    return false;
  }

  /** Claims a mail, which the first attempt books and fixes. @returns undefined when nothing is to be sent now */
  async #claim(mail: WaitingMail, kind: MailType, owner: Account): Promise<ClaimedMail | undefined> {
    const { queue, budgets, log } = this.#parts;
    const { batch } = mail;
    const members = kind.mayGoTo(owner) ? (batch?.members ?? (await kind.members(owner._id))) : undefined;
    if (!members) {
      await queue.park(mail);
      return undefined;
    }
    if (batch) return queue.claim(mail, batch, LEASE_MS);
    const email_key = await kind.mailbox?.(owner, mail);
    const booked = await budgets.take({ kind: mail.kind, account: owner._id, email_key });
    if (booked === 'never') {
      log.info({ mail: mail._id }, 'a mail is not sent: its mailbox has had as many as it gets');
      await queue.remove(mail);
      return undefined;
    }
    if (booked instanceof Date) {
      this.counts.deferred++;
      log.warn({ mail: mail._id, until: booked }, 'a mail waits: a budget of mails is used up');
      await queue.postpone(mail, booked);
      return undefined;
    }
    // Whoever tries it next books it again.
    const giveBack = () => booked.correct(0);
    const claim = queue.claim(mail, { id: newUuid(), at: new Date(), members }, LEASE_MS);
    const claimed = await claim.catch(async (error) => {
      await giveBack();
      throw error;
    });
    if (!claimed) await giveBack();
    return claimed;
  }

  /** A batch is through, by whichever end; a digest may be followed by another one after its window. */
  #through(mail: ClaimedMail, kind: MailType, at: Date, settle: () => Promise<void>): MailResult {
    const { queue } = this.#parts;
    const due = mail.kind === 'digest' ? new Date(at.getTime() + kind.window) : undefined;
    const write = async () => {
      await settle();
      await (due ? queue.finish(mail, due) : queue.end(mail));
    };
    return { mail, isWell: true, due, write };
  }
}
