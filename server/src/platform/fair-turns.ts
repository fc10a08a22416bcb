import { throttled } from './errors.ts';

/** How many tasks may run and wait. */
export interface TurnLimits {
  /** At once, of all together and of one. */
  running: number;
  runningOfOne: number;
  /** Of one, besides those that run. */
  waitingOfOne: number;
}

const RETRY_AFTER_MS = 5_000;

/** What one has in hand. */
interface Tasks {
  running: number;
  waiting: Waiting[];
}

/** A task that waits: its turn has come, or it is refused. */
interface Waiting {
  begin(): void;
  refuse(reason: unknown): void;
}

/** Runs costly tasks a few at a time. Those who have some waiting take turns, so that nobody waits for all of another's. */
export class FairTurns {
  readonly #limits: TurnLimits;
  readonly #endsAll: (error: unknown) => boolean;
  /** By who has them, in the order of their turns. */
  readonly #tasks = new Map<string, Tasks>();
  #running = 0;

  /** @param endsAll whether what a task failed with would fail all that wait, one after the other: they are refused with it */
  constructor(limits: TurnLimits, endsAll: (error: unknown) => boolean = () => false) {
    this.#limits = limits;
    this.#endsAll = endsAll;
  }

  /**
   * @param who takes turns with others, such as an account
   * @param gone whoever asked waits no longer: a task that has not begun is not run
   * @throws ParlorError `throttled` when too many tasks of it wait; the reason of `gone`
   */
  async run<T>(who: string, task: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    gone?.throwIfAborted();
    const own = this.#tasks.get(who) ?? { running: 0, waiting: [] };
    if (own.running + own.waiting.length >= this.#limits.runningOfOne + this.#limits.waitingOfOne) {
      throw throttled(RETRY_AFTER_MS);
    }
    this.#tasks.set(who, own);
    await this.#turn(who, own, gone);
    try {
      return await task();
    } catch (error) {
      if (this.#endsAll(error)) this.#refuseAll(error);
      throw error;
    } finally {
      this.#end(who, own);
    }
  }

  /** Resolves when its turn has come. */
  #turn(who: string, own: Tasks, gone: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        gone?.removeEventListener('abort', leave);
        resolve();
      };
      const refuse = (reason: unknown): void => {
        gone?.removeEventListener('abort', leave);
        own.waiting.splice(own.waiting.indexOf(waiting), 1);
        this.#forgetIdle(who, own);
        reject(reason);
      };
      const leave = (): void => refuse(gone?.reason);
      const waiting: Waiting = { begin, refuse };
      gone?.addEventListener('abort', leave, { once: true });
      own.waiting.push(waiting);
      if (this.#running < this.#limits.running && this.#isNext(own)) this.#begin(who, own);
    });
  }

  #refuseAll(reason: unknown): void {
    for (const { waiting } of [...this.#tasks.values()]) for (const one of [...waiting]) one.refuse(reason);
  }

  #forgetIdle(who: string, own: Tasks): void {
    if (own.running === 0 && own.waiting.length === 0) this.#tasks.delete(who);
  }

  #isNext({ running, waiting }: Tasks): boolean {
    return waiting.length > 0 && running < this.#limits.runningOfOne;
  }

  #begin(who: string, own: Tasks): void {
    // Its next turn comes after those of all others.
    this.#tasks.delete(who);
    this.#tasks.set(who, own);
    own.running++;
    this.#running++;
    own.waiting.shift()?.begin();
  }

  /** Where there was room before, nobody waited but for tasks of its own. */
  #end(who: string, own: Tasks): void {
    const wasFull = this.#running >= this.#limits.running;
    own.running--;
    this.#running--;
    this.#forgetIdle(who, own);
    if (wasFull) this.#beginNext();
    else if (this.#isNext(own)) this.#begin(who, own);
  }

  /** Passes over those alone that have tasks running: no more than run at once. */
  #beginNext(): void {
    for (const [who, own] of this.#tasks) {
      if (!this.#isNext(own)) continue;
      this.#begin(who, own);
      return;
    }
  }
}
