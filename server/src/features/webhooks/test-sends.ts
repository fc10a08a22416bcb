import type { Duration } from '../../platform/duration.ts';
import { throttled } from '../../platform/errors.ts';

/** Test sends of one account, and of all together, that one process has under way (docs/limits.md). */
const MAX_OF_ACCOUNT = 4;
const MAX_OF_ALL = 64;

/** One takes as long as its target likes, up to WEBHOOK_TIMEOUT. */
const TRY_AGAIN_AFTER_MS: Duration = 5_000;

/**
 * Counts test sends that are under way: each holds a request and a connection for as long as its target likes, and
 * goes out at once, whatever the limits and the pause of its origin are.
 */
export class TestSends {
  readonly #of = new Map<string, number>();
  #all = 0;

  /** @throws ParlorError `throttled` when as many are under way as may be */
  async run<T>(account: string, send: () => Promise<T>): Promise<T> {
    const own = this.#of.get(account) ?? 0;
    if (own >= MAX_OF_ACCOUNT) {
      throw throttled(TRY_AGAIN_AFTER_MS, `At most ${MAX_OF_ACCOUNT} test sends may be under way.`);
    }
    if (this.#all >= MAX_OF_ALL) throw throttled(TRY_AGAIN_AFTER_MS, 'Too many test sends are under way.');
    this.#count(account, 1);
    try {
      return await send();
    } finally {
      this.#count(account, -1);
    }
  }

  #count(account: string, by: number): void {
    this.#all += by;
    const own = (this.#of.get(account) ?? 0) + by;
    if (own === 0) this.#of.delete(account);
    else this.#of.set(account, own);
  }
}
