import type { Logger } from 'pino';
import { notFound } from '../../platform/errors.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import { deleteAccount } from './account-data.ts';
import type { AccountModel } from './accounts.model.ts';

/** How often deletions are taken up that a process has left behind. */
const SWEEP_EVERY_MS = 60_000;

/** How many deletions are taken up at a time. */
const BATCH = 100;

type Parts = Parameters<typeof deleteAccount>[0] & { models: { accounts: AccountModel } };

/**
 * Deletes accounts for their owners (docs/contract.md#account). That takes as long as there is much in them, so what is
 * to be done is written down first; any process finishes it, and every step can be repeated.
 */
export class AccountDeletion {
  readonly #parts: Parts;
  readonly #sweeper: Sweeper;
  readonly #log: Logger;

  constructor(parts: Parts, log: Logger) {
    this.#parts = parts;
    this.#log = log;
    this.#sweeper = new Sweeper({
      sweep: () => this.resume(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'accounts wait to be deleted',
    });
  }

  /**
   * Begins the deletion of an account. When this is through, it is certain to be deleted, and nobody can sign in to it
   * or use a token of it any more.
   * @throws ParlorError `not_found`
   */
  async request(account: string): Promise<void> {
    const { models, credentials } = this.#parts;
    const { matchedCount } = await models.accounts.updateOne(
      { _id: account },
      { $set: { deleted_at: new Date() } },
    );
    if (matchedCount === 0) throw notFound();
    await credentials.lock(account);
    this.#sweeper.wake();
  }

  /** Finishes the deletions that were begun. */
  async resume(): Promise<void> {
    const begun = await this.#parts.models.accounts
      .find({ deleted_at: { $gt: new Date(0) } }, { _id: 1 })
      .limit(BATCH)
      .lean();
    for (const { _id } of begun) {
      await deleteAccount(this.#parts, _id);
      this.#log.info({ account: _id }, 'account deleted');
    }
  }

  /** Takes up what was left behind, now and from time to time. */
  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }
}
