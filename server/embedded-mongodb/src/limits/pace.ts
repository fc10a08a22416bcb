/** Time slices of a stream of documents: when it yields to other commands, and that it ends at its deadline. */
import { MongoError } from '../errors/mongo-error.ts';

/** The time slice that a stream gets before it yields. */
const SLICE_MS = 10;

/** How many documents, or steps that are as short, or bytes are processed between two reads of the clock. */
const DOCUMENTS_PER_CLOCK = 64;
const BYTES_PER_CLOCK = 256 * 1024;

export class Pace {
  readonly #limit: { readonly deadline: number };
  #documents = 0;
  #bytes = 0;
  #sliceEnd = 0;

  /** @param limit when all has to have ended, by `performance.now()`; whoever reads the stream looks at it unless given */
  constructor(limit: { readonly deadline: number } = { deadline: Number.POSITIVE_INFINITY }) {
    this.#limit = limit;
    this.goOn();
  }

  /** Begins the next time slice, after the stream has yielded. */
  goOn(): void {
    this.#sliceEnd = performance.now() + SLICE_MS;
  }

  /**
   * Counts a document that was processed.
   * @param bytes its length
   * @returns whether the time slice is used up, and the stream has to yield
   * @throws MongoError `MaxTimeMSExpired` after the deadline
   */
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

/** Who asked for something, as far as that ends when it goes away. */
export interface Asker {
  readonly isGone: boolean;
}

/** @throws MongoError `ClientDisconnect` where nobody takes an answer any more, as MongoDB ends such a reading */
export function stayFor(asker: Asker): void {
  if (asker.isGone)
    throw new MongoError(279, 'ClientDisconnect', 'operation was interrupted because a client disconnected');
}

/** The error for a command that took longer than its maxTimeMS. */
export function timeExpired(): MongoError {
  return new MongoError(50, 'MaxTimeMSExpired', 'operation exceeded time limit');
}
