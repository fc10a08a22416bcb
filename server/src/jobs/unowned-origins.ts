import type { Duration } from '../platform/duration.ts';
import type { OriginModel, StoredOrigin } from './origin-leases.model.ts';

/** How many are looked at in one round. */
const AT_ONCE = 1_000;

/**
 * Forgets leases that no living sender owns and none claims: of a process that was killed, or paused as one stopped. What waits
 * for an origin is found, and its lease claimed, by the first search of any sender; so nothing waits there, and often
 * nobody has a webhook there any more.
 */
export class UnownedOrigins {
  readonly #origins: OriginModel;
  readonly #after: Duration;
  #seen = new Map<string, { owner: string; since: number }>();
  #lastLook = Number.NEGATIVE_INFINITY;

  /** @param after how long nobody has to claim one, in milliseconds */
  constructor(origins: OriginModel, after: Duration) {
    this.#origins = origins;
    this.#after = after;
  }

  /** Looks from time to time. @param senders all that live, or may */
  async look(senders: readonly string[]): Promise<void> {
    const now = performance.now();
    if (now - this.#lastLook < this.#after / 2) return;
    this.#lastLook = now;
    const unowned = await this.#origins
      .find({ owner: { $nin: senders } }, { owner: 1 })
      .limit(AT_ONCE)
      .lean<Pick<StoredOrigin, '_id' | 'owner'>[]>();
    const before = this.#seen;
    this.#seen = new Map();
    for (const { _id, owner } of unowned) {
      const known = before.get(_id);
      const seen = known?.owner === owner ? known : { owner, since: now };
      // Only if nobody has claimed it at the last moment.
      if (now - seen.since >= this.#after) await this.#origins.deleteOne({ _id, owner });
      else this.#seen.set(_id, seen);
    }
  }
}
