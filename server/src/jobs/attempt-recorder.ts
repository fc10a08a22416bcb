import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isDocumentRefused } from '../database/refused.ts';
import { batched } from '../platform/batch.ts';

/** Results that come within this go in one write: each costs the database a commit. */
const GATHERED_FOR_MS = 10;

/** After a failure of the database. */
const AGAIN_AFTER_MS = 500;

/** How results are written down. */
interface Writer<R> {
  /** Writes all of them, each once however often it is called. */
  record(results: readonly R[]): Promise<void>;
  /** Settles a result that its document refuses. */
  recordRefused(result: R, error: unknown): Promise<void>;
}

/**
 * Writes down what came of attempts, in batches; a database that is gone is waited for, since what is not written
 * down would be sent again. A result that its document refuses keeps no other back.
 */
export class AttemptRecorder<R> {
  /**
   * @returns when it is written down, or its job is given up.
   * @throws when neither was possible, or the recorder has been stopped: the job stays in hand
   */
  readonly record: (result: R) => Promise<void>;
  readonly #writing = new Set<Promise<unknown>>();
  #isStopped = false;

  constructor(writer: Writer<R>, log: Logger) {
    const untilAnswered = async (write: () => Promise<void>): Promise<void> => {
      for (;;) {
        try {
          return await write();
        } catch (error) {
          if (this.#isStopped || isDocumentRefused(error)) throw error;
          log.warn({ err: error, results: this.backlog }, 'recording attempts failed; trying again');
        }
        await sleep(AGAIN_AFTER_MS);
      }
    };
    const settle = async (results: readonly R[]): Promise<PromiseSettledResult<void>[]> => {
      try {
        await untilAnswered(() => writer.record(results));
        return results.map(() => ({ status: 'fulfilled', value: undefined }));
      } catch (error) {
        const [first] = results as [R];
        if (!isDocumentRefused(error)) return results.map(() => ({ status: 'rejected', reason: error }));
        if (results.length === 1) {
          return Promise.allSettled([untilAnswered(() => writer.recordRefused(first, error))]);
        }
        // Which one it is shows in halves: writing one once more changes nothing.
        const half = results.length >> 1;
        const halves = [results.slice(0, half), results.slice(half)];
        return (await Promise.all(halves.map(settle))).flat();
      }
    };
    const inBatches = batched(
      async (results: R[]) =>
        (await settle(results)).map((one) =>
          one.status === 'rejected' ? Promise.reject<void>(one.reason) : undefined,
        ),
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
