/** Work holds the event loop for about this time before everybody else has a turn. */
const SLICE_MS = 10;

/** Work took longer than it may. */
export class OutOfTime extends Error {
  override name = 'OutOfTime';
}

/** Work of all callers together that waits to go on: one of it in each turn of the event loop. */
const waiting: (() => void)[] = [];

const nextGoesOn = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextGoesOn);
};

const slice = (): Promise<void> =>
  new Promise((goOn) => {
    if (waiting.length === 0) setImmediate(nextGoesOn);
    waiting.push(goOn);
  });

/**
 * Paces work of which a caller decides how much there is: in slices, between which the event loop turns. However many
 * callers there are, a turn holds one slice.
 */
export class CpuBudget {
  readonly #maxMs: number;
  #spentMs = 0;
  #since = performance.now();
  #hasSlice = false;

  /** @param maxMs how long the work may hold the event loop in all */
  constructor(maxMs = Number.POSITIVE_INFINITY) {
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
    if (sliceMs <= SLICE_MS && (this.#hasSlice || waiting.length === 0)) return;
    await this.waitFor(slice());
    this.#hasSlice = true;
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
