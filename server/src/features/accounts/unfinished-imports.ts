import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { isPast } from '../../database/has-come.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import { type DeletionParts, type DeletionProgress, deleteHalf } from './account-data.ts';
import type { KeptLease } from './account-leases.ts';
import { alone, NEEDED_MS } from './deletion-lease.ts';
import { DiscardedImport } from './import-lease.ts';
import type { UnfinishedImport, UnfinishedImportModel } from './unfinished-imports.model.ts';

/** How often it is looked for what imports have left behind. */
const SWEEP_EVERY_MS = 60_000;

/** What an import has stored is discarded when nothing has come for this time, and nobody has it in hand. */
const KEPT_FOR_MS = 3_600_000;

/** When an import that ended without the rest was seen last: it doesn't go on. */
const NEVER = new Date(0);

interface Parts extends DeletionParts {
  models: DeletionParts['models'] & { unfinishedImports: UnfinishedImportModel };
}

/** An import in hand. `renew` throws ConcurrentImport, too, where what was stored of it has been discarded. */
export interface ImportRun extends Pick<KeptLease, 'renew' | 'giveBack'> {
  /** The account is there, with all that it has. */
  through(): Promise<void>;
}

/**
 * Knows of which accounts a part is here (docs/contract.md#account). None is ever added to: of a file that was written since,
 * whatever has been changed or erased meanwhile would stay as it was.
 */
export class UnfinishedImports {
  readonly #parts: Parts;
  readonly #model: UnfinishedImportModel;
  readonly #log: Logger;
  readonly #sweeper: Sweeper;

  constructor(parts: Parts, log: Logger) {
    this.#parts = parts;
    this.#model = parts.models.unfinishedImports;
    this.#log = log;
    this.#sweeper = new Sweeper({
      sweep: () => this.sweep(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'what imports have left behind waits to be discarded',
    });
  }

  /**
   * Begins an import of an account that is not here: what another one has left of it is discarded first.
   * @param lease the import's on that account
   */
  async begin(account: string, lease: KeptLease, progress?: DeletionProgress): Promise<ImportRun> {
    await deleteHalf(this.#parts, account, lease, progress);
    const own = { _id: account, run: randomUUID() };
    await this.#model.insertOne({ ...own, seen_at: new Date() });
    return {
      renew: async () => {
        await lease.renew();
        const { matchedCount } = await this.#model.updateOne(own, { $set: { seen_at: new Date() } });
        if (matchedCount === 0) throw new DiscardedImport();
        // The process may have stood still since.
        lease.check(NEEDED_MS);
      },
      giveBack: async () => {
        try {
          await this.#model.updateOne(own, { $set: { seen_at: NEVER } });
        } finally {
          await lease.giveBack();
        }
      },
      through: async () => {
        await this.#model.deleteOne(own);
      },
    };
  }

  /** Whether a part of this account is here, and not all of it: nothing of it is sent yet. To be asked of what was read before. */
  async has(account: string): Promise<boolean> {
    return (await this.#model.exists({ _id: account })) !== null;
  }

  /**
   * Finds objects on which something is to be done by itself, but for those of accounts of which only a part is here: what
   * they need may be still to come, and an import that is refused leaves nothing.
   * @param find with a filter that leaves these out, so that they take no other's place
   */
  async without<T extends { account: string }>(find: (others: object) => Promise<T[]>): Promise<T[]> {
    for (let left: string[] = []; ; ) {
      const found = await find(left.length > 0 ? { account: { $nin: left } } : {});
      if (found.length === 0) return found;
      // Read after them: an import says that it begins before it stores anything.
      const unfinished = new Set((await this.#all()).map(({ _id }) => _id));
      if (!found.some(({ account }) => unfinished.has(account))) return found;
      left = [...new Set([...left, ...unfinished])];
    }
  }

  #all(): Promise<UnfinishedImport[]> {
    return this.#model
      .find({ seen_at: { $gte: NEVER } })
      .lean<UnfinishedImport[]>()
      .exec();
  }

  /** Discards what was left behind, as far as nobody has it in hand. */
  async sweep(now = new Date()): Promise<void> {
    for (const one of await this.#all()) {
      await this.#settle(one, now).catch((error) =>
        this.#log.error(
          { err: error, account: one._id },
          'what an import has left behind could not be discarded',
        ),
      );
    }
  }

  async #settle({ _id, run, seen_at }: UnfinishedImport, now: Date): Promise<void> {
    const { leases, models } = this.#parts;
    const account = await models.accounts.findOne({ _id }, { deleted_at: 1 }).lean();
    // It goes with the account, whose deletion was written down.
    if (account?.deleted_at) return;
    // Whoever read it in died before saying so.
    if (account) return void (await this.#model.deleteOne({ _id, run }));
    if (!isPast(seen_at, new Date(now.getTime() - KEPT_FOR_MS))) return;
    const discard = async (lease: KeptLease): Promise<void> => {
      // Before the lease was this one's it may have gone on, or have been begun anew.
      const isLeft = await this.#model.exists({ _id, run, seen_at });
      if (!isLeft || (await models.accounts.exists({ _id }))) return;
      await deleteHalf(this.#parts, _id, lease);
      this.#log.info({ account: _id }, 'what an import had left behind was discarded');
    };
    await alone(leases, _id, discard, 0);
  }

  /** Discards what was left behind, now and from time to time. */
  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }
}
