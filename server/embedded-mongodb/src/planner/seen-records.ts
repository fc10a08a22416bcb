/** Which records have come up, where one may come up more than once. */
import type { HeldMemory } from '../limits/memory.ts';

/** About what an entry of a set takes beside its key. */
const ENTRY_BYTES = 50;

export class SeenRecords {
  readonly #keys = new Set<string>();
  readonly #memory: HeldMemory;

  constructor(memory: HeldMemory) {
    this.#memory = memory;
  }

  /** Whether this key has been asked for before. @throws MongoError 292 when all together take too much memory */
  has(key: Buffer): boolean {
    const text = key.toString('latin1');
    if (this.#keys.has(text)) return true;
    this.#memory.add(ENTRY_BYTES + text.length);
    this.#keys.add(text);
    return false;
  }
}
