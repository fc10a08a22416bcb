import type { Logger } from 'pino';
import { duplicateFields } from '../../database/duplicate.ts';
import { isPast } from '../../database/has-come.ts';
import { notFound } from '../../platform/errors.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import { type DeletionParts, deleteAccount, deleteRest, goneAccount } from './account-data.ts';
import type { AccountLeases } from './account-leases.ts';
import type { Account } from './accounts.model.ts';

/** How often deletions are taken up that a process has left behind. */
const SWEEP_EVERY_MS = 60_000;

/**
 * A deletion is gone through once more after this time: a request that was let in before may have stored something since,
 * and no request takes as long.
 */
const AGAIN_AFTER_MS = 60_000;

/** How many deletions are read at a time. */
const BATCH = 100;

interface Parts extends DeletionParts {
  leases: AccountLeases;
}

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
      { _id: account, emptied_at: null },
      { $set: { deleted_at: new Date() } },
    );
    if (matchedCount === 0) throw notFound();
    await credentials.lock(account);
    this.#sweeper.wake();
  }

  /** Goes on with the deletions that were begun, and finishes those that were through AGAIN_AFTER_MS before `now`. */
  async resume(now = new Date()): Promise<void> {
    const { accounts } = this.#parts.models;
    const begun = accounts
      .find({ deleted_at: { $gt: new Date(0) } }, { emptied_at: 1 })
      .sort({ deleted_at: 1 })
      .lean<Account[]>()
      .cursor({ batchSize: BATCH });
    for await (const one of begun) {
      // One that can't be deleted now keeps no other back.
      await this.#goOn(one, now).catch((error) =>
        this.#log.error({ err: error, account: one._id }, 'an account waits to be deleted'),
      );
    }
  }

  async #goOn({ _id, emptied_at }: Pick<Account, '_id' | 'emptied_at'>, now: Date): Promise<void> {
    if (!emptied_at) {
      await deleteAccount(this.#parts, _id);
      this.#log.info({ account: _id }, 'account deleted');
    } else if (isPast(emptied_at, new Date(now.getTime() - AGAIN_AFTER_MS))) await this.finish(_id);
  }

  /** Removes what is left of an account that was deleted: from then on one of this uuid can be read in again. */
  async finish(account: string): Promise<void> {
    const { leases, models } = this.#parts;
    const isLeft = async () =>
      (await models.accounts.exists({ _id: account, emptied_at: { $exists: true } })) !== null;
    if (!(await isLeft())) return;
    await leases.run(`deletion ${account}`, async () => {
      if (await isLeft()) await deleteRest(this.#parts, account);
    });
  }

  /**
   * Deletes what is here of an account that is not: of an import that was refused. That is written down first, so that it is
   * finished by whoever goes on.
   * @returns false where the account is here after all, or is being deleted
   */
  async discard(account: string): Promise<boolean> {
    try {
      await this.#parts.models.accounts.insertOne(goneAccount(account) as Account);
    } catch (error) {
      if (duplicateFields(error)) return false;
      throw error;
    }
    await deleteAccount(this.#parts, account);
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
