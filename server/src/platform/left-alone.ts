import { LRUCache } from 'lru-cache';
import type { Duration } from './duration.ts';

/** More than these are not remembered: the oldest are tried again before their time. */
const MOST = 10_000;

/** What failed in a sweep and is left alone for a while, so that it keeps nothing else of its batch back. */
export class LeftAlone {
  readonly #ids: LRUCache<string, true>;

  /** @param pause how long one that failed is left alone */
  constructor(pause: Duration) {
    this.#ids = new LRUCache({ max: MOST, ttl: pause });
  }

  /** Those that a sweep is to leave out now. */
  get ids(): string[] {
    this.#ids.purgeStale();
    return [...this.#ids.keys()];
  }

  add(id: string): void {
    this.#ids.set(id, true);
  }
}
