import type { Duration } from './duration.ts';

/**
 * A moment, for whoever must not take anything for its own for too long. The clock of `performance` is never set, and stands still
 * while the machine sleeps; the wall clock goes on then, and may be set. The one that says more is believed.
 */
export class Moment {
  readonly #steady = performance.now();
  readonly #wall = Date.now();

  /** Milliseconds since then: as many as there were, or more. */
  get ago(): Duration {
    return Math.max(performance.now() - this.#steady, Date.now() - this.#wall);
  }
}
