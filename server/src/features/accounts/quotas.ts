import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from 'mongoose';
import { invalidTogether, ParlorError } from '../../platform/errors.ts';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import { type RegistrationClaimModel, takeClaim } from './registration.model.ts';

/** What an account may have of each. */
const QUOTAS = { webhooks: 50, widgets: 100, workflows: 100 } as const;

type Counted = keyof typeof QUOTAS;

/**
 * The lease: longer than counting and making take; a process that dies in between holds up its account until it
 * ends.
 */
const LEASE_MS = 15_000;
const PATIENCE_MS = 20_000;
const POLL_MS = 25;

/** Requests of one account that may wait here; its rate limit lets no more through anyway. */
const MAX_WAITING = 2_000;

/** Quotas of accounts. Counting and making are one step under a lease, so that many at once keep them, too. */
export class Quotas {
  readonly #models: Record<Counted, Pick<Model<{ _id: string; account: string }>, 'countDocuments'>>;
  readonly #claims: RegistrationClaimModel;
  readonly #mutex = new KeyedMutex(MAX_WAITING);

  constructor(models: Record<Counted, unknown>, claims: RegistrationClaimModel) {
    this.#models = models as Record<Counted, Model<{ _id: string; account: string }>>;
    this.#claims = claims;
  }

  /**
   * Makes one more, where there is room.
   * @param uuid of what is made, when it is fixed: a retry after a crash finds it there already
   * @throws ParlorError `invalid` when the account has as many as it may.
   */
  within<T>(what: Counted, account: string, uuid: string | undefined, make: () => Promise<T>): Promise<T> {
    const name = `quota ${what} ${account}`;
    return this.#mutex.run(name, async () => {
      const giveBack = await this.#hold(name);
      try {
        const others = { account, ...(uuid !== undefined && { _id: { $ne: uuid } }) };
        if ((await this.#models[what].countDocuments(others)) >= QUOTAS[what]) {
          throw invalidTogether(`An account may have at most ${QUOTAS[what]} ${what}.`);
        }
        return await make();
      } finally {
        await giveBack();
      }
    });
  }

  async #hold(name: string): Promise<() => Promise<void>> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
      const giveBack = await takeClaim(this.#claims, name, new Date(Date.now() + LEASE_MS));
      if (giveBack) return giveBack;
      if (Date.now() > deadline) {
        throw new ParlorError('unavailable', 'Too many are made at once. Try again.', {
          headers: { 'Retry-After': '1' },
        });
      }
    }
  }
}
