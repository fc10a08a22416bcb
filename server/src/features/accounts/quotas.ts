import type { Model } from 'mongoose';
import { invalidTogether } from '../../platform/errors.ts';
import type { AccountLeases } from './account-leases.ts';

/** What an account may have of each. */
export const QUOTAS = {
  webhooks: 50,
  widgets: 100,
  workflows: 100,
  members: 100,
  tokens: 50,
  replies: 500,
  keywords: 1_000,
} as const;

type Counted = keyof typeof QUOTAS;

/** Quotas of accounts. Counting and making are one step under a lease, so that many at once keep them, too. */
export class Quotas {
  readonly #models: Record<Counted, Pick<Model<{ _id: string; account: string }>, 'countDocuments'>>;
  readonly #leases: AccountLeases;

  constructor(models: Record<Counted, unknown>, leases: AccountLeases) {
    this.#models = models as Record<Counted, Model<{ _id: string; account: string }>>;
    this.#leases = leases;
  }

  /**
   * Makes one more, where there is room.
   * @param uuid of what is made, when it is fixed: a retry after a crash finds it there already
   * @param whoNow says who makes it, as it stands when the others are through: that takes up to 20 s, and meanwhile it may
   *   have been removed, signed out or given another role. It throws what a new request would be refused with
   * @param make gets what `whoNow` says
   * @throws ParlorError `invalid` when the account has as many as it may, and what `whoNow` throws
   */
  within<Who, T>(
    what: Counted,
    account: string,
    uuid: string | undefined,
    whoNow: () => Promise<Who>,
    make: (who: Who) => Promise<T>,
  ): Promise<T> {
    return this.#leases.run(`quota ${what} ${account}`, async (lease) => {
      const others = { account, ...(uuid !== undefined && { _id: { $ne: uuid } }) };
      if ((await this.#models[what].countDocuments(others)) >= QUOTAS[what]) {
        throw invalidTogether(`An account may have at most ${QUOTAS[what]} ${what}.`);
      }
      const who = await whoNow();
      lease.check();
      return make(who);
    });
  }
}
