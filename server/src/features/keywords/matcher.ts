import { isBoundary } from '../../platform/folding.ts';

/** Edges are kept in a hash table that is at most half full. */
const EMPTY = 0;

/**
 * Finds which of an account's keywords a text mentions as whole words: an Aho–Corasick automaton over UTF-16 code
 * units, so that the time goes by the length of the text, however many keywords there are. Texts and keywords come
 * folded.
 */
export class Matcher {
  /** For each slot of the hash table: the state an edge comes from (plus one, 0: free), its unit, where it leads. */
  #from: Int32Array;
  #unit: Uint16Array;
  #to: Int32Array;
  #mask: number;
  /** For each state: the longest other one that ends alike, the next one along those that ends a keyword, and it. */
  readonly #fallback: Int32Array;
  readonly #shorter: Int32Array;
  readonly #keyword: Int32Array;
  readonly #lengths: number[];

  constructor(keywords: readonly string[]) {
    const units = keywords.reduce((sum, { length }) => sum + length, 0);
    const slots = 2 ** Math.ceil(Math.log2(2 * units + 2));
    this.#mask = slots - 1;
    this.#from = new Int32Array(slots);
    this.#unit = new Uint16Array(slots);
    this.#to = new Int32Array(slots);
    this.#keyword = new Int32Array(units + 1).fill(-1);
    this.#lengths = keywords.map(({ length }) => length);
    const parents = new Int32Array(units + 1);
    const lastUnits = new Uint16Array(units + 1);
    const depths = new Int32Array(units + 1);
    let states = 1;
    for (const [index, keyword] of keywords.entries()) {
      let state = 0;
      for (let at = 0; at < keyword.length; at++) {
        const unit = keyword.charCodeAt(at);
        let next = this.#edge(state, unit);
        if (next === 0) {
          next = states++;
          this.#addEdge(state, unit, next);
          parents[next] = state;
          lastUnits[next] = unit;
          depths[next] = at + 1;
        }
        state = next;
      }
      this.#keyword[state] = index;
    }
    this.#fallback = new Int32Array(states);
    this.#shorter = new Int32Array(states);
    // Shorter ones first: a state's fallback is made of its parent's.
    const order = Array.from({ length: states - 1 }, (_, n) => n + 1);
    order.sort((a, b) => (depths[a] ?? 0) - (depths[b] ?? 0));
    for (const state of order) {
      const parent = parents[state] ?? 0;
      const fallback = parent === 0 ? 0 : this.#step(this.#fallback[parent] ?? 0, lastUnits[state] ?? 0);
      this.#fallback[state] = fallback;
      this.#shorter[state] = (this.#keyword[fallback] ?? -1) >= 0 ? fallback : (this.#shorter[fallback] ?? 0);
    }
  }

  /** The indexes of the keywords that `text` mentions, in their order. */
  mentionedIn(text: string): number[] {
    const found = new Set<number>();
    for (let at = 0, state = 0; at < text.length; at++) {
      state = this.#step(state, text.charCodeAt(at));
      let ending = (this.#keyword[state] ?? -1) >= 0 ? state : (this.#shorter[state] ?? 0);
      if (ending === 0 || !isBoundary(text, at + 1)) continue;
      for (; ending !== 0; ending = this.#shorter[ending] ?? 0) {
        const keyword = this.#keyword[ending] ?? -1;
        if (!found.has(keyword) && isBoundary(text, at + 1 - (this.#lengths[keyword] ?? 0)))
          found.add(keyword);
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  /** The state after one more unit. */
  #step(state: number, unit: number): number {
    for (let from = state; ; from = this.#fallback[from] ?? 0) {
      const next = this.#edge(from, unit);
      if (next !== 0 || from === 0) return next;
    }
  }

  #slot(state: number, unit: number): number {
    let slot = Math.imul(Math.imul(state, 0x9e3779b1) ^ unit, 0x85ebca6b);
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    const wanted = state + 1;
    while (this.#from[slot] !== EMPTY && (this.#from[slot] !== wanted || this.#unit[slot] !== unit))
      slot = (slot + 1) & this.#mask;
    return slot;
  }

  /** Where an edge leads; 0 when there is none, since no edge leads back to the beginning. */
  #edge(state: number, unit: number): number {
    return this.#to[this.#slot(state, unit)] ?? 0;
  }

  #addEdge(state: number, unit: number, next: number): void {
    const slot = this.#slot(state, unit);
    this.#from[slot] = state + 1;
    this.#unit[slot] = unit;
    this.#to[slot] = next;
  }
}
