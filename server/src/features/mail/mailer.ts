import { setTimeout as sleep } from 'node:timers/promises';
import type { KeywordNotification } from '@parlor/shared';
import type { Logger } from 'pino';
import type { EventConsumer } from '../../events/relay.ts';
import { retryDelay } from '../../platform/backoff.ts';
import type { Duration } from '../../platform/duration.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Account, AccountModel } from '../accounts/accounts.model.ts';
import type { MailModel, StoredMail } from './mails.model.ts';
import { notificationMail } from './notification-mail.ts';
import type { Outcome, SendMail } from './smtp.ts';

/** Mails on their way at the same time. */
const AT_ONCE = 4;

/** How often mails are looked for that are due now, or that another process left behind. */
const LOOK_EVERY = 1_000;

/** A whole mail takes at most so long. */
export const MAIL_TIMEOUT = 30_000;

/** A mail that was claimed so long ago is in nobody's hands: twice of what it may take, and recording it. */
const LEASE = 2 * MAIL_TIMEOUT;

/** After a failure of the database. */
const AGAIN_AFTER = 500;

/** What is remembered of a mail that was sent or given up, so that its event makes no second one. */
const KEPT_FOR = 30 * 86_400_000;

interface Parts {
  mails: MailModel;
  accounts: AccountModel;
  send: SendMail;
  /** What is told, as it stands when it is told: those that still exist. */
  notificationsOf(account: string, uuids: readonly string[]): Promise<KeywordNotification[]>;
  /** Told of each mail that was sent, before that is written down: again after a crash in between. */
  onSent(notification: string, at: Date): Promise<void>;
  log: Logger;
}

interface Options {
  /** Milliseconds before each further attempt; after the last one a mail has failed. */
  delays: readonly Duration[];
  /** The database is this process's alone: at the start nobody else tries a mail. */
  isOnlyProcess: boolean;
}

/**
 * Mails keyword notifications to the address of their account, each at least once, as webhooks are delivered: a
 * row is made before the event leaves its document, claimed by one write, and tried again until the server takes
 * it. A crash between the server's answer and the record sends it again, under the same Message-ID.
 */
export class Mailer {
  readonly #parts: Parts;
  readonly #options: Options;
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isRunning = false;
  /** Attempts of this process by what came of them. */
  readonly counts = { sent: 0, retry: 0, failed: 0 };

  constructor(parts: Parts, options: Options) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Follows the events of one account: a mail for each of its keyword notifications. */
  consume: EventConsumer = async (events) => {
    const now = new Date();
    const rows = events
      .filter(({ name }) => name === 'keyword_notification.added')
      .map(({ account, data }): StoredMail => {
        return {
          _id: (data as KeywordNotification).uuid,
          account,
          state: 'pending',
          created_at: now,
          tries: 0,
          due_at: now,
        };
      });
    for (const { _id, ...row } of rows)
      await this.#parts.mails.updateOne({ _id }, { $setOnInsert: row }, { upsert: true });
    if (rows.length > 0) this.#look();
  };

  async start(): Promise<void> {
    this.#isRunning = true;
    if (this.#options.isOnlyProcess) {
      // What the process before this one had claimed when it died.
      const claimed = { due_at: { $gt: new Date() }, claim: { $exists: true } };
      await this.#parts.mails.updateMany(claimed, { $set: { due_at: new Date() }, $unset: { claim: 1 } });
    }
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY);
    this.#look();
  }

  /** Begins nothing more, and finishes what is under way. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#running);
  }

  /** Begins what may begin; returns at once. */
  #look(): void {
    if (!this.#isRunning) return;
    this.#looking ??= this.#begin()
      .catch((error) => this.#parts.log.warn({ err: error }, 'mails wait for the database'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #begin(): Promise<void> {
    while (this.#isRunning && this.#running.size < AT_ONCE) {
      const mail = await this.#claim();
      if (!mail) return;
      const run = this.#attempt(mail).finally(() => {
        this.#running.delete(run);
        this.#look();
      });
      this.#running.add(run);
    }
  }

  async #claim(): Promise<StoredMail | undefined> {
    const now = Date.now();
    const mail = await this.#parts.mails
      .findOneAndUpdate(
        { due_at: { $lte: new Date(now) } },
        { $set: { due_at: new Date(now + LEASE), claim: newUuid() } },
        { sort: { due_at: 1 }, returnDocument: 'after' },
      )
      .lean<StoredMail>();
    return mail ?? undefined;
  }

  async #attempt(mail: StoredMail): Promise<void> {
    const { _id, account, claim, created_at, tries } = mail;
    const { mails, accounts, send, notificationsOf, onSent, log } = this.#parts;
    try {
      const owner = await accounts.findOne({ _id: account }, { email: 1, username: 1 }).lean<Account>();
      const [notification] = await notificationsOf(account, [_id]);
      if (!owner || !notification) {
        // There is nobody to tell any more, or nothing.
        await mails.deleteOne({ _id });
        return;
      }
      const letter = notificationMail(notification, owner.username);
      const envelope = { to: owner.email, id: `keyword-notification.${_id}`, date: created_at };
      const outcome = await send(envelope, letter);
      if (outcome.kind === 'sent') {
        this.counts.sent++;
        const at = new Date();
        await this.#untilDone(async () => {
          await onSent(_id, at);
          await mails.updateOne({ _id }, settled('sent'));
        });
      } else await this.#failed({ _id, claim, tries }, outcome);
    } catch (error) {
      log.warn({ err: error, mail: _id }, 'a mail waits for the database');
    }
  }

  async #failed(
    { _id, claim, tries }: Pick<StoredMail, '_id' | 'claim' | 'tries'>,
    { kind, error }: Exclude<Outcome, { kind: 'sent' }>,
  ): Promise<void> {
    const { mails, log } = this.#parts;
    const delay = kind === 'refused' ? undefined : retryDelay(tries + 1, this.#options.delays);
    const isOver = delay === undefined;
    this.counts[isOver ? 'failed' : 'retry']++;
    log.warn({ mail: _id, reason: error }, isOver ? 'a mail failed for good' : 'a mail failed; trying again');
    const decided = isOver
      ? settled('failed', error)
      : { $set: { due_at: new Date(Date.now() + delay), error }, $unset: { claim: 1 as const } };
    // Somebody else's claim is not touched: this attempt took longer than its lease.
    await this.#untilDone(() =>
      mails.updateOne({ _id, claim, state: 'pending' } as object, { ...decided, $inc: { tries: 1 } }),
    );
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
        await sleep(AGAIN_AFTER);
      }
    }
  }
}

/** What makes a mail final. */
const settled = (state: 'sent' | 'failed', error?: string) => ({
  $set: { state, expires_at: new Date(Date.now() + KEPT_FOR), ...(error !== undefined && { error }) },
  $unset: { due_at: 1 as const, claim: 1 as const },
});
