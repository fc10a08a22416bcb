/** What dropped collections and indexes have left behind: removed little by little. So are the entries of indexes that were never whole. */

import type { Environment } from './environment.ts';
import { idKey } from './id-key.ts';
import { after } from './key-space.ts';

const GARBAGE = 'g';
/** All marks of garbage. */
const MARKS = { start: Buffer.from(GARBAGE), end: Buffer.from('h') };

/** About how many neighbouring keys a page holds at least. */
const KEYS_PER_PAGE = 4;

export class Garbage {
  readonly #environment: Environment;
  readonly #isKept: (id: number) => boolean;

  /** @param isKept whether what is marked stays for now, by its number */
  constructor(environment: Environment, isKept: (id: number) => boolean) {
    this.#environment = environment;
    this.#isKept = isKept;
  }

  /** Marks the records of a collection, or the entries of an index, by its number. Inside a write transaction. */
  add(id: number, what: 'records' | 'entries'): void {
    this.#environment.meta.putSync(idKey(GARBAGE, id), Buffer.from(what));
  }

  /** Takes a mark away. Inside a write transaction. */
  takeOut(id: number): void {
    this.#environment.meta.removeSync(idKey(GARBAGE, id));
  }

  /** Whether what has this number is marked. */
  has(id: number): boolean {
    return this.#environment.meta.doesExist(idKey(GARBAGE, id));
  }

  /** Whether nothing is to be removed. */
  get isEmpty(): boolean {
    return this.#next() === undefined;
  }

  /** Removes up to `limit` keys. Inside a write transaction. Returns false when nothing is left to remove. */
  sweep(limit: number): boolean {
    const { meta, records, entries, room } = this.#environment;
    const next = this.#next();
    if (!next) return false;
    const prefix = next.key.subarray(1);
    const space = next.value.toString() === 'records' ? records : entries;
    const keys = [...space.getKeys({ start: prefix, end: after(prefix), limit })];
    room.remove(Math.ceil(keys.length / KEYS_PER_PAGE));
    for (const stale of keys) space.removeSync(stale);
    if (keys.length < limit) meta.removeSync(next.key);
    return true;
  }

  #next(): { key: Buffer; value: Buffer } | undefined {
    for (const mark of this.#environment.meta.getRange(MARKS)) {
      if (!this.#isKept(mark.key.readUInt32BE(1))) return mark;
    }
    return undefined;
  }
}
