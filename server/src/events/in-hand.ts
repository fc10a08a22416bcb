import type { Announcement } from './announced.ts';

/** The events that are queued or on their way, and what they take in memory. */
export class InHand {
  readonly #bytes = new Map<string, number>();
  /** Those that have left since a reading of documents began, which may still show them. */
  #left: Set<string> | undefined;
  #sum = 0;

  /** What they take together. */
  get bytes(): number {
    return this.#sum;
  }

  has(id: string): boolean {
    return this.#bytes.has(id) || this.#left?.has(id) === true;
  }

  add({ event: { id }, bytes }: Announcement): void {
    this.#bytes.set(id, bytes);
    this.#sum += bytes;
  }

  delete(id: string): void {
    this.#sum -= this.#bytes.get(id) ?? 0;
    if (this.#bytes.delete(id)) this.#left?.add(id);
  }

  /** Runs what reads documents: an event that leaves meanwhile is had until it ends. */
  async whileReading<T>(read: () => Promise<T>): Promise<T> {
    this.#left = new Set();
    try {
      return await read();
    } finally {
      this.#left = undefined;
    }
  }
}
