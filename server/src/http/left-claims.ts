import { setTimeout as sleep } from 'node:timers/promises';
import type { IdempotencyClaim, IdempotencyModel } from './idempotency.model.ts';

/** How soon it is tried again while the database is away (milliseconds). */
const AGAIN_AFTER_MS = 250;

/** Freed together, and at most remembered; the leases of further ones run out by themselves. */
const TOGETHER = 500;
const MOST = 10_000;

/**
 * What a request that failed leaves behind: it may have stored its object, as when the database's reply was lost, and the
 * next one under this key goes on under the same uuid. It has not to wait for the lease of one that has been answered.
 */
export class LeftClaims {
  readonly #claims: IdempotencyModel;
  readonly #lease: number;
  /** By owner: the claim, and when its lease is over anyway. */
  readonly #left = new Map<string, { _id: string; until: number }>();
  #isAtWork = false;

  /** @param lease how long a claim is its owner's (milliseconds) */
  constructor(claims: IdempotencyModel, lease: number) {
    this.#claims = claims;
    this.#lease = lease;
  }

  /** Frees a claim, at once or when the database is back. Nobody waits for it. */
  leave({ _id, owner }: Pick<IdempotencyClaim, '_id' | 'owner'>): void {
    if (this.#left.size >= MOST) return;
    this.#left.set(owner, { _id, until: performance.now() + this.#lease });
    if (!this.#isAtWork) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isAtWork = true;
    while (this.#left.size > 0) {
      const some = [...this.#left].slice(0, TOGETHER);
      const freed = await this.#free(some).catch(() => false);
      for (const [owner, { until }] of some) {
        if (freed || until < performance.now()) this.#left.delete(owner);
      }
      if (!freed) await sleep(AGAIN_AFTER_MS, undefined, { ref: false });
    }
    this.#isAtWork = false;
  }

  async #free(some: readonly [owner: string, { _id: string }][]): Promise<boolean> {
    const owners = some.map(([owner]) => owner);
    const ids = some.map(([, { _id }]) => _id);
    await this.#claims.updateMany(
      { _id: { $in: ids }, owner: { $in: owners } },
      { $set: { leased_until: new Date(0) } },
    );
    return true;
  }
}
