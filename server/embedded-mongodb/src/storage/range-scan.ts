import type { KeySpace } from './key-space.ts';

/**
 * A scan over a range of keys that can be paused: it then holds no snapshot, and goes on after its last key
 * on the newest one. That is what a MongoDB cursor promises between two batches as well.
 */
export class RangeScan {
  key: Buffer = EMPTY;
  value: Buffer = EMPTY;
  readonly #space: KeySpace;
  readonly #low: Buffer;
  readonly #high: Buffer;
  readonly #reverse: boolean;
  readonly #values: boolean;
  readonly #open: Set<RangeScan>;
  #iterator: Iterator<unknown> | undefined;
  #started = false;
  #ended = false;

  constructor(
    space: KeySpace,
    low: Buffer,
    high: Buffer,
    reverse: boolean,
    values: boolean,
    open: Set<RangeScan>,
  ) {
    this.#space = space;
    this.#low = low;
    this.#high = high;
    this.#reverse = reverse;
    this.#values = values;
    this.#open = open;
  }

  /** Moves to the next entry, which `key` and `value` then hold. False at the end. */
  next(): boolean {
    if (this.#ended) return false;
    this.#iterator ??= this.#begin();
    const step = this.#iterator.next();
    if (step.done) {
      this.close();
      return false;
    }
    this.#started = true;
    if (this.#values) {
      const entry = step.value as { key: Buffer; value: Buffer };
      this.key = entry.key;
      this.value = entry.value;
    } else {
      this.key = step.value as Buffer;
    }
    return true;
  }

  /** Lets go of the snapshot. */
  pause(): void {
    if (!this.#iterator) return;
    this.#iterator.return?.();
    this.#iterator = undefined;
    this.#open.delete(this);
  }

  /** Ends the scan. */
  close(): void {
    this.#ended = true;
    this.pause();
  }

  #begin(): Iterator<unknown> {
    this.#open.add(this);
    const from = this.#started ? this.key : this.#reverse ? this.#high : this.#low;
    const options = this.#reverse
      ? { start: from, exclusiveStart: true, end: this.#low, inclusiveEnd: true, reverse: true }
      : { start: from, exclusiveStart: this.#started, end: this.#high };
    const range = this.#values ? this.#space.getRange(options) : this.#space.getKeys(options);
    return (range as Iterable<unknown>)[Symbol.iterator]();
  }
}

const EMPTY = Buffer.alloc(0);
