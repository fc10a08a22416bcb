import type { HeldMemory } from '../limits/memory.ts';
import type { Pace } from '../limits/pace.ts';
import { sortInTurns } from './sort-in-turns.ts';

/** How many more than are wanted are held before those behind are let go. */
const ROOM = 1000;

export interface Sortable {
  /** About what it takes in memory. */
  readonly bytes: number;
}

/** Sorts in memory, and holds little more than the first that are wanted. Its steps yield where the time slice is used up. */
export class Sorter<T extends Sortable> {
  readonly #compare: (a: T, b: T) => number;
  readonly #wanted: number;
  readonly #pace: Pace;
  readonly #memory: HeldMemory;
  #held: T[] = [];
  /** Nothing from here on is among the first. */
  #end: T | undefined;

  /** @param memory counts what is held, and is released by whoever began it */
  constructor(compare: (a: T, b: T) => number, wanted: number, pace: Pace, memory: HeldMemory) {
    this.#compare = compare;
    this.#wanted = wanted;
    this.#pace = pace;
    this.#memory = memory;
  }

  *add(item: T): Generator<undefined, void, void> {
    if (this.#end && this.#compare(item, this.#end) >= 0) return;
    this.#memory.add(item.bytes);
    if (this.#held.push(item) < 2 * this.#wanted + ROOM) return;
    const sorted = yield* this.#sort();
    for (const { bytes } of sorted.splice(this.#wanted)) this.#memory.add(-bytes);
    this.#held = sorted;
    this.#end = sorted.at(-1);
  }

  /** All in order; equal ones as they came. */
  *inOrder(): Generator<undefined, T[], void> {
    const [first] = this.#held;
    // What can't be sorted is an error also where there is nothing to compare it with.
    if (first) this.#compare(first, first);
    return yield* this.#sort();
  }

  #sort(): Generator<undefined, T[], void> {
    this.#pace.goOn();
    return sortInTurns(this.#held, this.#compare, this.#pace);
  }
}
