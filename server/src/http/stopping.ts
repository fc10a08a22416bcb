import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ParlorError, serverStops } from '../platform/errors.ts';
import type { Handler } from './context.ts';

/** Requests while the server stops (docs/contract.md#operation). */
export class Stopping {
  #hasBegun = false;
  #begun = 0;
  readonly #over = new AbortController();
  /** What works on requests, each with what answers its caller in its place. */
  readonly #underWay = new Map<Promise<unknown>, (error: ParlorError) => void>();

  constructor() {
    // One for each request that is read to its end.
    setMaxListeners(0, this.#over.signal);
  }

  /** Aborted once what is left is refused: nobody waits for what callers have not sent yet. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** How many requests have begun so far. */
  get begun(): number {
    return this.#begun;
  }

  /** From now on each response ends its connection: nobody sends another request where nobody will read it. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** Outside of whatever answers. */
  readonly endConnections: Handler = async (ctx, next) => {
    this.#begun++;
    await next();
    if (this.#hasBegun) ctx.set('Connection', 'close');
  };

  /** Outside of whatever works on a request, and inside of what makes responses of errors. */
  readonly giveUp: Handler = (ctx, next) => {
    if (this.over.aborted) throw serverStops();
    ctx.state.over = this.over;
    const work = next();
    return new Promise((resolve, reject) => {
      this.#underWay.set(work, reject);
      work.then(resolve, reject).finally(() => this.#underWay.delete(work));
    });
  };

  /**
   * Answers those with 503 that are still worked on, and those that come now. What works on them may go on for as long as
   * the database is open; what comes of it is told to nobody.
   */
  refuseRest(): void {
    this.#over.abort();
    for (const refuse of this.#underWay.values()) refuse(serverStops());
  }

  /** Resolves when nothing works on a request any more, also where the caller has gone; after `ms` in any case. */
  async settled(ms: number): Promise<void> {
    await Promise.race([Promise.allSettled(this.#underWay.keys()), sleep(ms, undefined, { ref: false })]);
  }
}
