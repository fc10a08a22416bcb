/** Work holds the event loop for about this time before everybody else has a turn. */
const SLICE_MS = 10;

/** Whose work is nobody's: what it waits for is its own. */
export const OWN_WORK = '';

/** Work took longer than it may. */
export class OutOfTime extends Error {
  override name = 'OutOfTime';
}

/** Work of all callers together that waits to go on, by whose it is, in the order of their turns: one of it in each turn of the event loop. */
const waiting = new Map<string, (() => void)[]>();

const nextGoesOn = (): void => {
  const [next] = waiting;
  if (!next) return;
  const [whose, line] = next;
  const goOn = line.shift();
  // Its next turn comes after those of all others.
  waiting.delete(whose);
  if (line.length > 0) waiting.set(whose, line);
  goOn?.();
  if (waiting.size > 0) setImmediate(nextGoesOn);
};

const slice = (whose: string): Promise<void> =>
  new Promise((goOn) => {
    if (waiting.size === 0) setImmediate(nextGoesOn);
    const line = waiting.get(whose) ?? [];
    line.push(goOn);
    waiting.set(whose, line);
  });

/**
 * Paces work of which a caller decides how much there is: in slices, between which the event loop turns. However many
 * callers there are, a turn holds one slice, and accounts have equal parts of these.
 */
export class CpuBudget {
  readonly #whose: string;
  readonly #maxMs: number;
  #spentMs = 0;
  #since = performance.now();
  #hasSlice = false;

  /**
   * @param whose the account that the work is for; `OWN_WORK` for what is done for no account
   * @param maxMs how long the work may hold the event loop in all
   */
  constructor(whose: string, maxMs = Number.POSITIVE_INFINITY) {
    this.#whose = whose;
    this.#maxMs = maxMs;
  }

  /** How long the work has held the event loop, in milliseconds. */
  get spentMs(): number {
    return this.#spentMs + performance.now() - this.#since;
  }

  /**
   * Between two small pieces of the work.
   * @throws OutOfTime
   */
  async checkpoint(): Promise<void> {
    const sliceMs = performance.now() - this.#since;
    if (this.#spentMs + sliceMs > this.#maxMs) throw new OutOfTime(`stopped after ${this.#maxMs} ms of work`);
    // Who comes in goes behind those who wait.
    if (sliceMs <= SLICE_MS && (this.#hasSlice || waiting.size === 0)) return;
    await this.waitFor(slice(this.#whose));
    this.#hasSlice = true;
  }

  /** Does work once `enter` lets it in: the time until then does not count. */
  enter<T, A>(
    enter: (work: (given: A) => Promise<T>) => Promise<T>,
    work: (given: A) => Promise<T>,
  ): Promise<T> {
    const counted = async (given: A): Promise<T> => {
      this.#since = performance.now();
      try {
        return await work(given);
      } finally {
        this.#spentMs += performance.now() - this.#since;
      }
    };
    return this.waitFor(enter(counted));
  }

  /** Waits for something that others do: its time does not count. */
  async waitFor<T>(promise: Promise<T>): Promise<T> {
    this.#spentMs += performance.now() - this.#since;
    try {
      return await promise;
    } finally {
      this.#since = performance.now();
      this.#hasSlice = false;
    }
  }
}
