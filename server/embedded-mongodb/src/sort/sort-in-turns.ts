/** Sorting many things without keeping others from their turn. */
import type { Pace } from '../limits/pace.ts';

/** So many are sorted, or merged, at once. */
const STEP = 256;

/** What one of them costs, in bytes of a document that is processed. */
const ITEM_BYTES = 1024;

/** Gives the items in order; equal ones keep theirs. Yields where the time slice is used up. */
export function* sortInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  pace: Pace,
): Generator<undefined, T[], void> {
  let sorted: T[] = [];
  for (let start = 0; start < items.length; start += STEP) {
    sorted.push(...items.slice(start, start + STEP).sort(compare));
    if (pace.isOver(STEP * ITEM_BYTES)) {
      yield undefined;
      pace.goOn();
    }
  }
  for (let length = STEP; length < sorted.length; length *= 2) {
    const merge = new Merge(sorted, length, compare);
    while (merge.goOn()) {
      if (pace.isOver(STEP * ITEM_BYTES)) {
        yield undefined;
        pace.goOn();
      }
    }
    sorted = merge.merged;
  }
  return sorted;
}

/** Merges each two neighbouring runs of a length into one, some items at a time. */
class Merge<T> {
  readonly merged: T[] = [];
  readonly #sorted: readonly T[];
  readonly #length: number;
  readonly #compare: (a: T, b: T) => number;
  #left = 0;
  #right: number;

  constructor(sorted: readonly T[], length: number, compare: (a: T, b: T) => number) {
    this.#sorted = sorted;
    this.#length = length;
    this.#compare = compare;
    this.#right = length;
  }

  /** @returns false when all are merged */
  goOn(): boolean {
    const { merged } = this;
    const sorted = this.#sorted;
    const until = Math.min(merged.length + STEP, sorted.length);
    while (merged.length < until) {
      const start = merged.length - (merged.length % (2 * this.#length));
      const middle = Math.min(start + this.#length, sorted.length);
      const end = Math.min(middle + this.#length, sorted.length);
      if (merged.length === start) {
        this.#left = start;
        this.#right = middle;
      }
      const isRightNext =
        this.#left === middle ||
        (this.#right < end && this.#compare(sorted[this.#right] as T, sorted[this.#left] as T) < 0);
      merged.push(sorted[isRightNext ? this.#right++ : this.#left++] as T);
    }
    return until < sorted.length;
  }
}
