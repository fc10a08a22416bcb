/** Tells a stream of documents when others should have their turn, and ends it at its time limit. */
import { MongoError } from '../errors/mongo-error.ts';

/** How long a stream works before it pauses. */
const SLICE_MS = 10;

/** After how many documents, or bytes of them, the clock is looked at: large ones take as long as many. */
const DOCUMENTS_PER_CLOCK = 64;
const BYTES_PER_CLOCK = 256 * 1024;

export class Pace {
  readonly #limit: { readonly deadline: number };
  #documents = 0;
  #bytes = 0;
  #sliceEnd = 0;

  /** @param limit when all has to have ended, by `performance.now()` */
  constructor(limit: { readonly deadline: number }) {
    this.#limit = limit;
    this.goOn();
  }

  /** After a pause. */
  goOn(): void {
    this.#sliceEnd = performance.now() + SLICE_MS;
  }

  /** After each document of so many bytes. @returns whether it is time for a pause */
  isOver(bytes: number): boolean {
    this.#bytes += bytes;
    if (++this.#documents < DOCUMENTS_PER_CLOCK && this.#bytes < BYTES_PER_CLOCK) return false;
    this.#documents = 0;
    this.#bytes = 0;
    const now = performance.now();
    if (now > this.#limit.deadline) throw timeExpired();
    return now > this.#sliceEnd;
  }
}

/** The error for a command that took longer than its maxTimeMS. */
export function timeExpired(): MongoError {
  return new MongoError(50, 'MaxTimeMSExpired', 'operation exceeded time limit');
}
