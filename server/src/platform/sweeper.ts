import type { Logger } from 'pino';
import type { Duration } from './duration.ts';

/** What a sweeper does, how often, and what the log says when it fails. */
interface Options {
  /** Gives true where it has found something and there may be more: it does not rest then. */
  sweep: () => Promise<unknown>;
  /** From one sweep's beginning to the next one's. */
  every: Duration;
  /** Of the time at most this share is spent in sweeps, but none is put off for longer than `MAX_REST_MS`. */
  share?: number;
  log: Logger;
  failed: string;
}

const MAX_REST_MS = 10_000;

/**
 * Does a piece of work at its start and then from time to time, for what events do not tell: what a process left
 * behind when it died, what has become due. No sweep begins before the one before it has ended.
 */
export class Sweeper {
  readonly #options: Options;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  /** Until when it leaves the database to others (`performance.now()`). */
  #restsUntil = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (performance.now() >= this.#restsUntil) this.#begin();
    }, this.#options.every);
    this.#begin();
  }

  /** Sweeps now; if a sweep runs, once more when that has ended, since it may have passed what is new. */
  wake(): void {
    if (this.#timer === undefined) return;
    this.#isWoken = this.#running !== undefined;
    this.#begin();
  }

  /** Begins no sweep any more, and waits for the one that runs. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  #begin(): void {
    if (this.#running) return;
    const { sweep, share = 1, log, failed } = this.#options;
    const begun = performance.now();
    this.#running = sweep()
      .catch((error) => void log.warn({ err: error }, failed))
      .then((isMore) => {
        this.#running = undefined;
        const now = performance.now();
        this.#restsUntil =
          isMore === true ? now : now + Math.min((now - begun) * (1 / share - 1), MAX_REST_MS);
        if (this.#isWoken) this.wake();
      });
  }
}
