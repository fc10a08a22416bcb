import { partsOf } from '../platform/parts.ts';
import type { Announcement } from './announced.ts';

/** Announcements in their order, and what they take in memory. */
export class Queue {
  readonly #all: Announcement[] = [];
  #bytes = 0;

  get all(): readonly Announcement[] {
    return this.#all;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(...announcements: readonly Announcement[]): void {
    this.#all.push(...announcements);
    for (const { bytes } of announcements) this.#bytes += bytes;
  }

  /**
   * Takes a batch from the head.
   * @param count its size at most
   * @param maxBytes of it; an announcement that is larger is a batch alone
   */
  shift(count: number, maxBytes: number): Announcement[] {
    const [first = []] = partsOf(this.#all.slice(0, count), ({ bytes }) => bytes, maxBytes);
    this.#all.splice(0, first.length);
    for (const { bytes } of first) this.#bytes -= bytes;
    return first;
  }
}
