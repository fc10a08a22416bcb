import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { batched } from '../platform/batch.ts';

/** Results that come within this go in one write: each costs the database a commit. */
const GATHERED_FOR_MS = 10;

/** After a failure of the database. */
const AGAIN_AFTER_MS = 500;

/**
 * Writes down what came of attempts, in batches; a database that is gone is waited for, since what is not written
 * down would be sent again.
 */
export class AttemptRecorder<R> {
  /** @returns when it is written down. @throws when that was given up, since the recorder has been stopped */
  readonly record: (result: R) => Promise<void>;
  readonly #writing = new Set<Promise<unknown>>();
  #isStopped = false;

  constructor(write: (results: readonly R[]) => Promise<void>, log: Logger) {
    const untilWritten = async (results: readonly R[]): Promise<void> => {
      try {
        await write(results);
      } catch (error) {
        if (this.#isStopped) throw error;
        log.warn({ err: error, results: this.backlog }, 'recording attempts failed; trying again');
        await sleep(AGAIN_AFTER_MS);
        await untilWritten(results);
      }
    };
    const inBatches = batched(
      async (results: R[]) => {
        await untilWritten(results);
        return results.map(() => undefined);
      },
      { within: GATHERED_FOR_MS },
    );
    this.record = (result) => {
      const writing = inBatches(result).finally(() => this.#writing.delete(writing));
      this.#writing.add(writing);
      return writing;
    };
  }

  /** How many results are not written down yet. */
  get backlog(): number {
    return this.#writing.size;
  }

  start(): void {
    this.#isStopped = false;
  }

  /** Writes what there is, once more at most, and then gives up: what is lost is sent again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#writing);
  }
}
