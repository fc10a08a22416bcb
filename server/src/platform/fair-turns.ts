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
  waiting: (() => void)[];
}

/** Runs costly tasks a few at a time. Those who have some waiting take turns, so that nobody waits for all of another's. */
export class FairTurns {
  readonly #limits: TurnLimits;
  /** By who has them, in the order of their turns. */
  readonly #tasks = new Map<string, Tasks>();
  #running = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * @param who takes turns with others, such as an account
   * @throws ParlorError `throttled` when too many tasks of it wait
   */
  async run<T>(who: string, task: () => Promise<T>): Promise<T> {
    const own = this.#tasks.get(who) ?? { running: 0, waiting: [] };
    if (own.running + own.waiting.length >= this.#limits.runningOfOne + this.#limits.waitingOfOne) {
      throw throttled(RETRY_AFTER_MS);
    }
    this.#tasks.set(who, own);
    await new Promise<void>((begin) => {
      own.waiting.push(begin);
      this.#advance();
    });
    try {
      return await task();
    } finally {
      own.running--;
      this.#running--;
      if (own.running === 0 && own.waiting.length === 0) this.#tasks.delete(who);
      this.#advance();
    }
  }

  #advance(): void {
    while (this.#running < this.#limits.running) {
      const next = [...this.#tasks].find(
        ([, { running, waiting }]) => waiting.length > 0 && running < this.#limits.runningOfOne,
      );
      if (!next) return;
      const [who, own] = next;
      // Its next turn comes after those of all others.
      this.#tasks.delete(who);
      this.#tasks.set(who, own);
      own.running++;
      this.#running++;
      own.waiting.shift()?.();
    }
  }
}
