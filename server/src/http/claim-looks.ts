import { setTimeout as sleep } from 'node:timers/promises';

/** The pause before the first look, and the longest: each is twice the one before. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/** How many wait for one at a time (docs/contract.md#idempotency-keys). */
const MAX_WAITING = 100;

interface Shared<T> {
  waiting: number;
  pause: number;
  next: Promise<T> | undefined;
}

/** Looks at claims whose requests run still: once for all in this process who wait for the same one. */
export class ClaimLooks<T> {
  readonly #shared = new Map<string, Shared<T>>();

  /**
   * Gives `wait` what looks at a claim, each time after a pause.
   * @returns what `wait` gives; undefined beyond MAX_WAITING
   */
  async join<R>(
    id: string,
    look: () => Promise<T>,
    wait: (next: () => Promise<T>) => Promise<R>,
  ): Promise<R | undefined> {
    const shared = this.#shared.get(id) ?? { waiting: 0, pause: FIRST_PAUSE_MS, next: undefined };
    if (shared.waiting >= MAX_WAITING) return undefined;
    this.#shared.set(id, shared);
    shared.waiting++;
    const next = () => {
      shared.next ??= this.#after(shared, look);
      return shared.next;
    };
    try {
      return await wait(next);
    } finally {
      if (--shared.waiting === 0) this.#shared.delete(id);
    }
  }

  async #after(shared: Shared<T>, look: () => Promise<T>): Promise<T> {
    const pause = shared.pause;
    shared.pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    try {
      // Processes that wait for the same one do not look at the same moment.
      await sleep(pause * (0.5 + Math.random()));
      return await look();
    } finally {
      shared.next = undefined;
    }
  }
}
