import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventConsumer } from '../../events/relay.ts';
import { retryDelay } from '../../platform/backoff.ts';
import type { Duration } from '../../platform/duration.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Account, AccountModel } from '../accounts/accounts.model.ts';
import type { Digests } from './digests.ts';
import type { MailBudgets } from './mail-budgets.ts';
import type { ClaimedMail, FixedMail, MailQueue } from './mail-queue.ts';
import type { MailType } from './mail-type.ts';
import type { Outcome, SendMail } from './smtp.ts';

/** Mails on their way at the same time. */
const AT_ONCE = 4;

/** How often mails are looked for that are due now, or that another process left behind. */
const LOOK_EVERY_MS = 1_000;

/** The time-out of a whole mail. */
export const MAIL_TIMEOUT_MS = 30_000;

/** The lease of a claim: twice the time-out, so that recording the result fits in. */
const LEASE_MS = 2 * MAIL_TIMEOUT_MS;

/** After a failure of the database. */
const AGAIN_AFTER_MS = 500;

interface Parts {
  queue: MailQueue;
  kinds: { digest: MailType & Pick<Digests, 'consume' | 'adopt'>; confirmation: MailType };
  budgets: Pick<MailBudgets, 'take'>;
  accounts: AccountModel;
  send: SendMail;
  log: Logger;
}

interface Options {
  /** Milliseconds before each further attempt; after the last one a mail has failed. */
  delays: readonly Duration[];
  /** The database is this process's alone: at the start nobody else tries a mail. */
  isOnlyProcess: boolean;
}

/**
 * Sends what waits in the queue, each mail at least once, as webhooks are delivered: claimed by one write, fixed by its
 * first attempt, and tried again until the server takes it. A crash between the server's answer and the record sends
 * it again, under the same Message-ID.
 */
export class Mailer {
  readonly #parts: Parts;
  readonly #options: Options;
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isRunning = false;
  /** Attempts of this process by what came of them; `deferred`: none was made, since a budget was used up. */
  readonly counts = { sent: 0, retry: 0, failed: 0, deferred: 0 };

  constructor(parts: Parts, options: Options) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Follows the events of one account: its keyword notifications are mailed. */
  consume: EventConsumer = async (events) => {
    if (await this.#parts.kinds.digest.consume(events)) this.look();
  };

  async start(): Promise<void> {
    this.#isRunning = true;
    if (this.#options.isOnlyProcess) await this.#parts.queue.freeClaims();
    await this.#parts.kinds.digest.adopt();
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.look();
  }

  /** Begins nothing more, and finishes what is under way. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#running);
  }

  /** Begins what may begin; returns at once. */
  look(): void {
    if (!this.#isRunning) return;
    this.#looking ??= this.#begin()
      .catch((error) => this.#parts.log.warn({ err: error }, 'mails wait for the database'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #begin(): Promise<void> {
    while (this.#isRunning && this.#running.size < AT_ONCE) {
      const mail = await this.#parts.queue.claim(LEASE_MS);
      if (!mail) return;
      const run = this.#attempt(mail)
        .catch((error) =>
          this.#parts.log.warn({ err: error, mail: mail._id }, 'a mail waits for the database'),
        )
        .finally(() => {
          this.#running.delete(run);
          this.look();
        });
      this.#running.add(run);
    }
  }

  async #attempt(claimed: ClaimedMail): Promise<void> {
    const { queue, kinds, accounts, send } = this.#parts;
    const kind = kinds[claimed.kind];
    const owner = await accounts.findOne({ _id: claimed.account }).lean<Account>();
    if (!owner) {
      await kind.forget(claimed.account);
      return queue.remove(claimed);
    }
    if (!kind.mayGoTo(owner)) return queue.park(claimed);
    const { batch: begun } = claimed;
    const mail = begun ? { ...claimed, batch: begun } : await this.#fixed(claimed, kind);
    if (!mail) return;
    const { batch } = mail;
    const composed = await kind.compose(owner, batch, mail);
    if (!composed) {
      await kind.forget(owner._id, batch.members);
      return queue.finish(mail, 0);
    }
    const envelope = { to: owner.email, id: composed.id, date: batch.at };
    const outcome = await send(envelope, composed.content);
    if (outcome.kind !== 'sent') return this.#failed(mail, kind, outcome);
    this.counts.sent++;
    const at = new Date();
    await this.#untilDone(async () => {
      await kind.sent(batch, at);
      await this.#through(mail, kind);
    });
  }

  /** Books the mail and decides what it is about. @returns undefined when nothing is to be sent now */
  async #fixed(mail: ClaimedMail, kind: MailType): Promise<FixedMail | undefined> {
    const { queue, budgets, log } = this.#parts;
    const members = await kind.members(mail.account);
    if (!members) {
      await queue.park(mail);
      return undefined;
    }
    const notBefore = await budgets.take(mail.kind, mail.account);
    if (notBefore) {
      this.counts.deferred++;
      log.warn({ mail: mail._id, until: notBefore }, 'a mail waits: a budget of mails is used up');
      await queue.postpone(mail, notBefore);
      return undefined;
    }
    return queue.fix(mail, { id: newUuid(), at: new Date(), members });
  }

  async #failed(
    mail: FixedMail,
    kind: MailType,
    { kind: outcome, error }: Exclude<Outcome, { kind: 'sent' }>,
  ): Promise<void> {
    const { _id, batch, tries } = mail;
    const delay = outcome === 'refused' ? undefined : retryDelay(tries + 1, this.#options.delays);
    const isOver = delay === undefined;
    this.counts[isOver ? 'failed' : 'retry']++;
    const said = isOver ? 'a mail failed for good' : 'a mail failed; trying again';
    this.#parts.log.warn({ mail: _id, reason: error }, said);
    await this.#untilDone(async () => {
      if (!isOver) return this.#parts.queue.retry(mail, new Date(Date.now() + delay), error);
      await kind.failed(batch, error);
      await this.#through(mail, kind);
    });
  }

  #through(mail: FixedMail, kind: MailType): Promise<void> {
    const { queue } = this.#parts;
    return mail.kind === 'digest' ? queue.finish(mail, kind.window) : queue.end(mail);
  }

  /** What is not written down would be sent again: a database that is gone is waited for. */
  async #untilDone(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if (!this.#isRunning) throw error;
        this.#parts.log.warn({ err: error }, 'recording a mail failed; trying again');
        await sleep(AGAIN_AFTER_MS);
      }
    }
  }
}
