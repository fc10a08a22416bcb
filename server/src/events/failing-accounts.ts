import { LRUCache } from 'lru-cache';

/**
 * An account whose events failed in this many sweeps in a row is left out of them for a while: what can't be announced keeps
 * nothing of others back. It is no longer than a database that was away may hold up anybody.
 */
const FAILS_BEFORE_PAUSE = 3;
const PAUSE_MS = 10_000;
/** A sweep brings what was left behind at most this long after the pause has ended. */
const BROUGHT_WITHIN_MS = 2_000;
/** Of more accounts than that the oldest failures are forgotten. */
const MAX_FAILING = 1_000;

/** The accounts whose last events could not be announced, for the relay's sweeps (events/relay.ts). */
export class FailingAccounts {
  /** In how many sweeps an account failed, since which one, and until when it is left out (by the clock of `performance`). */
  readonly #failing = new LRUCache<string, { times: number; sweep: number; until: number }>({
    max: MAX_FAILING,
  });

  /** Those that a sweep leaves out now. */
  get paused(): string[] {
    const now = performance.now();
    return [...this.#failing].filter(([, { until }]) => until > now).map(([account]) => account);
  }

  /**
   * A failure of long ago is over; one that the sweeps still bring goes on beside what is announced meanwhile.
   * @param sweep the number of the sweep that came last
   */
  hasEnded(account: string, sweep: number): void {
    const last = this.#failing.get(account);
    if (!last) return;
    const isOver = sweep > last.sweep + 1 && performance.now() > last.until + BROUGHT_WITHIN_MS;
    if (isOver) this.#failing.delete(account);
  }

  /** @param sweep the number of the sweep that came last */
  hasFailed(account: string, sweep: number): void {
    const last = this.#failing.get(account) ?? { times: 0, sweep: -1 };
    // What was queued together fails together.
    if (last.sweep === sweep) return;
    const times = last.times + 1;
    this.#failing.set(account, {
      times,
      sweep,
      until: times < FAILS_BEFORE_PAUSE ? 0 : performance.now() + PAUSE_MS,
    });
  }
}
