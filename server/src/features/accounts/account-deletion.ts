import type { Logger } from 'pino';
import { duplicateFields } from '../../database/duplicate.ts';
import { isPast } from '../../database/has-come.ts';
import type { Duration } from '../../platform/duration.ts';
import { notFound } from '../../platform/errors.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import {
  beginDeletion,
  type DeletionParts,
  type DeletionProgress,
  deleteRest,
  deleteUnder,
  goneAccount,
} from './account-data.ts';
import type { KeptLease } from './account-leases.ts';
import type { Account } from './accounts.model.ts';
import { alone } from './deletion-lease.ts';

/** How often deletions are taken up that a process has left behind: its lease runs out first. */
const SWEEP_EVERY_MS = 15_000;

/** How long a request waits for the lease on the account (milliseconds). */
const REQUEST_PATIENCE_MS = 5_000;

/**
 * A deletion is gone through once more after this time: a request that was let in before may have stored something since,
 * and no request takes as long.
 */
const AGAIN_AFTER_MS = 60_000;

/** How many deletions are read at a time. */
const BATCH = 100;

/**
 * Deletes accounts for their owners (docs/contract.md#account). That takes as long as there is much in them, so what is
 * to be done is written down first; any process finishes it, and every step can be repeated.
 */
export class AccountDeletion {
  readonly #parts: DeletionParts;
  readonly #sweeper: Sweeper;
  readonly #log: Logger;

  constructor(parts: DeletionParts, log: Logger) {
    this.#parts = parts;
    this.#log = log;
    this.#sweeper = new Sweeper({
      sweep: () => this.resume(new Date(), 0),
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
    const { leases, models, credentials } = this.#parts;
    await beginDeletion(models.accounts, account);
    const begun = { _id: account, deleted_at: { $ne: null }, emptied_at: null };
    if (!(await models.accounts.exists(begun))) throw notFound();
    // Whoever else has it in hand locks it, too, before anything else.
    const lock = async () => {
      if (await models.accounts.exists(begun)) await credentials.lock(account);
    };
    await alone(leases, account, lock, REQUEST_PATIENCE_MS);
    this.#sweeper.wake();
  }

  /**
   * Goes on with the deletions that were begun, and finishes those that were through AGAIN_AFTER_MS before `now`.
   * @param patience milliseconds that are waited for each that another process has in hand
   */
  async resume(now = new Date(), patience?: Duration): Promise<void> {
    const { accounts } = this.#parts.models;
    const begun = accounts
      .find({ deleted_at: { $gt: new Date(0) } }, { deleted_at: 1, emptied_at: 1 })
      .sort({ deleted_at: 1 })
      .lean<Account[]>()
      .cursor({ batchSize: BATCH });
    for await (const one of begun) {
      // One that can't be deleted now keeps no other back.
      await this.#goOn(one, now, patience).catch((error) =>
        this.#log.error({ err: error, account: one._id }, 'an account waits to be deleted'),
      );
    }
  }

  async #goOn(one: Account, now: Date, patience?: Duration): Promise<void> {
    const { _id, emptied_at } = one;
    if (emptied_at && !isPast(emptied_at, new Date(now.getTime() - AGAIN_AFTER_MS))) return;
    const goOn = (lease: KeptLease) =>
      emptied_at ? deleteRest(this.#parts, _id, lease) : deleteUnder(this.#parts, one, lease);
    const isDone = await alone(this.#parts.leases, _id, goOn, patience);
    if (isDone && !emptied_at) this.#log.info({ account: _id }, 'account deleted');
  }

  /**
   * Removes what is left of an account that was deleted: from then on one of this uuid can be read in again.
   * @param lease on the account, where it is held
   */
  async finish(account: string, lease?: KeptLease, progress?: DeletionProgress): Promise<void> {
    const rest = (held: KeptLease) => deleteRest(this.#parts, account, held, progress);
    await (lease ? rest(lease) : alone(this.#parts.leases, account, rest));
  }

  /**
   * Deletes what is here of an account that is not: of an import that was refused. That is written down first, so that it is
   * finished by whoever goes on.
   * @param lease the import's on that account
   * @returns false where the account is here after all, or is being deleted
   */
  async discard(account: string, lease: KeptLease, progress?: DeletionProgress): Promise<boolean> {
    const gone = goneAccount(account) as Account;
    try {
      await this.#parts.models.accounts.insertOne(gone);
    } catch (error) {
      if (duplicateFields(error)) return false;
      throw error;
    }
    await deleteUnder(this.#parts, gone, lease, progress);
    return true;
  }

  /** Takes up what was left behind, now and from time to time. */
  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }
}
