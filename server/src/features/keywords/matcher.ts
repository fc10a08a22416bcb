import type { CpuBudget } from '../../platform/cpu-budget.ts';
import { isBoundary } from '../../platform/folding.ts';

/** States that are made, and units that are read, between two checkpoints: well below a millisecond of work. */
const BETWEEN_CHECKPOINTS = 1_000;

/** So few edges are looked at one after another, which is quicker than halving them. */
const LOOKED_THROUGH = 4;

/** For a place of a text: not looked at so far, whether a word may begin or end there. */
const UNKNOWN = 0;
const IS_BOUNDARY = 1;
const IS_INSIDE = 2;

/**
 * Finds which of an account's keywords a text mentions as whole words: an Aho–Corasick automaton over UTF-16 code
 * units, so that the time goes by the length of the text, however many keywords there are. Texts and keywords come
 * folded. Its states lie in order of their depth, those that one leads to side by side, in order of their units, and are
 * found by bisection: with a hash table, whoever chooses the keywords would choose how often they collide.
 */
export class Matcher {
  /** For each state: the unit that leads to it, and the first of the states it leads to; those of the next one follow. */
  readonly #unit: Uint16Array;
  readonly #first: Int32Array;
  /** Where the edges of the beginning lead, which most units of a text ask for: by unit, from the least one on. */
  #begin = new Uint16Array();
  #leastUnit = 0;
  /** For each state: the longest other one that ends alike, the next one along those that ends a keyword, and it. */
  readonly #fallback: Int32Array;
  readonly #shorter: Int32Array;
  readonly #keyword: Int32Array;
  readonly #lengths: number[];

  private constructor(keywords: readonly string[]) {
    const states = keywords.reduce((sum, { length }) => sum + length, 1);
    this.#unit = new Uint16Array(states);
    this.#first = new Int32Array(states + 1);
    this.#fallback = new Int32Array(states);
    this.#shorter = new Int32Array(states);
    this.#keyword = new Int32Array(states).fill(-1);
    this.#lengths = keywords.map(({ length }) => length);
  }

  /** What finds these keywords. @throws OutOfTime */
  static async from(keywords: readonly string[], budget: CpuBudget): Promise<Matcher> {
    const matcher = new Matcher(keywords);
    await matcher.#build(keywords, budget);
    return matcher;
  }

  /**
   * The indexes of the keywords that `text` mentions, in their order.
   * @throws OutOfTime
   */
  async mentionedIn(text: string, budget: CpuBudget): Promise<number[]> {
    const found = new Set<number>();
    const boundaries = new Uint8Array(text.length + 1);
    for (let from = 0, state = 0; from < text.length; from += BETWEEN_CHECKPOINTS) {
      state = this.#read(text, from, state, boundaries, found);
      await budget.checkpoint();
    }
    return [...found].sort((a, b) => a - b);
  }

  /** Reads a piece of a text from one state on. @returns the state after it */
  #read(text: string, from: number, before: number, boundaries: Uint8Array, found: Set<number>): number {
    const to = Math.min(text.length, from + BETWEEN_CHECKPOINTS);
    let state = before;
    for (let at = from; at < to; at++) {
      state = this.#step(state, text.charCodeAt(at));
      let ending = (this.#keyword[state] ?? -1) >= 0 ? state : (this.#shorter[state] ?? 0);
      if (ending === 0 || !isWordEdge(text, at + 1, boundaries)) continue;
      for (; ending !== 0; ending = this.#shorter[ending] ?? 0) {
        const keyword = this.#keyword[ending] ?? -1;
        if (isWordEdge(text, at + 1 - (this.#lengths[keyword] ?? 0), boundaries)) found.add(keyword);
      }
    }
    return state;
  }

  async #build(keywords: readonly string[], budget: CpuBudget): Promise<void> {
    // In order of their units those that begin alike lie side by side: a state is a range of them, and a depth.
    const order = keywords.map((_, index) => index);
    order.sort((a, b) => compareUnits(keywords[a] ?? '', keywords[b] ?? ''));
    const sorted = order.map((index) => keywords[index] ?? '');
    const starts = new Int32Array(this.#unit.length);
    const ends = new Int32Array(this.#unit.length);
    ends[0] = sorted.length;
    this.#first[0] = 1;
    for (let state = 0, states = 1, depth = 0, deeper = 1; state < states; state++) {
      if (state === deeper) {
        depth++;
        deeper = states;
      }
      if (state % BETWEEN_CHECKPOINTS === 0) await budget.checkpoint();
      let at = starts[state] ?? 0;
      const end = ends[state] ?? 0;
      for (; at < end && sorted[at]?.length === depth; at++) this.#keyword[state] = order[at] ?? -1;
      // What a state falls back to is less deep than it, so that it and what it leads to are there.
      const fallback = this.#fallback[state] ?? 0;
      this.#shorter[state] = (this.#keyword[fallback] ?? -1) >= 0 ? fallback : (this.#shorter[fallback] ?? 0);
      while (at < end) {
        const unit = sorted[at]?.charCodeAt(depth) ?? 0;
        const next = states++;
        this.#unit[next] = unit;
        this.#fallback[next] = state === 0 ? 0 : this.#step(fallback, unit);
        starts[next] = at;
        while (at < end && sorted[at]?.charCodeAt(depth) === unit) at++;
        ends[next] = at;
      }
      this.#first[state + 1] = states;
      if (state === 0) this.#beginWith(states - 1);
    }
  }

  /** @param count how many states the beginning leads to: from 1 on, no more than there are keywords */
  #beginWith(count: number): void {
    this.#leastUnit = this.#unit[1] ?? 0;
    this.#begin = new Uint16Array((this.#unit[count] ?? 0) - this.#leastUnit + 1);
    for (let state = 1; state <= count; state++)
      this.#begin[(this.#unit[state] ?? 0) - this.#leastUnit] = state;
  }

  /** The state after one more unit. */
  #step(state: number, unit: number): number {
    for (let from = state; from !== 0; from = this.#fallback[from] ?? 0) {
      const next = this.#edge(from, unit);
      if (next !== 0) return next;
    }
    return this.#begin[unit - this.#leastUnit] ?? 0;
  }

  /** Where an edge leads; 0 when there is none, since no edge leads back to the beginning. */
  #edge(state: number, unit: number): number {
    let low = this.#first[state] ?? 0;
    let count = (this.#first[state + 1] ?? 0) - low;
    while (count > LOOKED_THROUGH) {
      const half = count >>> 1;
      if ((this.#unit[low + half] ?? 0) <= unit) low += half;
      count -= half;
    }
    for (const end = low + count; low < end; low++) if (this.#unit[low] === unit) return low;
    return 0;
  }
}

const compareUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `isBoundary`, which is asked again and again for the same places where keywords end alike. */
const isWordEdge = (text: string, at: number, boundaries: Uint8Array): boolean => {
  if (boundaries[at] === UNKNOWN) boundaries[at] = isBoundary(text, at) ? IS_BOUNDARY : IS_INSIDE;
  return boundaries[at] === IS_BOUNDARY;
};
