import type { Logger } from 'pino';
import type { Duration } from './duration.ts';

/** What a sweeper does, how often, and what the log says when it fails. */
interface Options {
  sweep: () => Promise<void>;
  /** From one sweep's beginning to the next one's. */
  every: Duration;
  log: Logger;
  failed: string;
}

/**
 * Does a piece of work at its start and then from time to time, for what events do not tell: what a process left
 * behind when it died, what has become due. No sweep begins before the one before it has ended.
 */
export class Sweeper {
  readonly #options: Options;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#begin(), this.#options.every);
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
    const { sweep, log, failed } = this.#options;
    this.#running ??= sweep()
      .catch((error) => log.warn({ err: error }, failed))
      .finally(() => {
        this.#running = undefined;
        if (this.#isWoken) this.wake();
      });
  }
}
