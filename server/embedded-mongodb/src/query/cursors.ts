/** The cursors that clients have open: each a stream that goes on where it was left. */
import { randomBytes } from 'node:crypto';
import { MongoError } from '../errors/mongo-error.ts';
import { type Asker, stayFor } from '../limits/pace.ts';
import type { Environment } from '../storage/environment.ts';

/** A cursor that nobody asks for this long is closed, as MongoDB does. */
const IDLE_MS = 10 * 60 * 1000;

/** How many cursors may be open at once: what they hold is bounded by this. */
const MAX_OPEN = 10_000;

/** MongoDB's limit for the documents of one answer. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;

/** The size of a first batch that the client does not give. */
export const DEFAULT_FIRST_BATCH = 101;

/** Documents as BSON; undefined where a time slice is used up, and the reader has to yield. */
export type DocumentStream = Iterator<Buffer | undefined, void, void>;

export interface Cursor {
  id: bigint;
  ns: string;
  documents: DocumentStream;
  /** A document that did not fit into the last answer any more. */
  held: Buffer | undefined;
  /** When it was asked for last (`performance.now()`). */
  usedAt: number;
  neverTimesOut: boolean;
  /** Whether an answer is being taken from it. */
  isBusy: boolean;
}

export interface Batch {
  documents: Buffer[];
  ended: boolean;
}

export class Cursors {
  readonly #open = new Map<bigint, Cursor>();
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /**
   * Takes up to `count` documents of a stream for one answer (0: as many as fit). Gives a promise when that takes
   * longer than a time slice, and yields between two of them; it ends with its asker.
   */
  take(cursor: Pick<Cursor, 'documents' | 'held'>, count: number, asker: Asker): Batch | Promise<Batch> {
    const batch: Batch = { documents: [], ended: false };
    const state = { bytes: 0 };
    const isDone = this.#fill(cursor, count, batch, state);
    this.#environment.pauseScans();
    return isDone ? batch : this.#takeLater(cursor, count, batch, state, asker);
  }

  async #takeLater(
    cursor: Pick<Cursor, 'documents' | 'held'>,
    count: number,
    batch: Batch,
    state: { bytes: number },
    asker: Asker,
  ): Promise<Batch> {
    for (let isDone = false; !isDone; this.#environment.pauseScans()) {
      await new Promise((resolve) => setImmediate(resolve));
      if (asker.isGone) cursor.documents.return?.();
      stayFor(asker);
      isDone = this.#fill(cursor, count, batch, state);
    }
    return batch;
  }

  /** @returns false when a time slice is used up. Looks one document ahead, so that an ended stream is known as ended. */
  #fill(
    cursor: Pick<Cursor, 'documents' | 'held'>,
    count: number,
    batch: Batch,
    state: { bytes: number },
  ): boolean {
    for (;;) {
      if (!cursor.held) {
        const { value, done } = cursor.documents.next();
        if (done) {
          batch.ended = true;
          return true;
        }
        if (!value) return false;
        cursor.held = value;
      }
      const isFull = count > 0 && batch.documents.length >= count;
      const bytes = state.bytes + cursor.held.length + PER_DOCUMENT_BYTES;
      if (isFull || (bytes > MAX_BATCH_BYTES && batch.documents.length > 0)) return true;
      state.bytes = bytes;
      batch.documents.push(cursor.held);
      cursor.held = undefined;
    }
  }

  /** Keeps a stream for getMore, and gives its number. */
  keep(ns: string, documents: DocumentStream, held: Buffer | undefined, neverTimesOut: boolean): bigint {
    this.#closeIdle();
    if (this.#open.size >= MAX_OPEN) {
      documents.return?.();
      throw new MongoError(202, 'TooManyFilesOpen', `more than ${MAX_OPEN} cursors are open`);
    }
    const id = randomBytes(8).readBigInt64BE() & 0x7fffffffffffffffn || 1n;
    this.#open.set(id, { id, ns, documents, held, usedAt: performance.now(), neverTimesOut, isBusy: false });
    return id;
  }

  /** The open cursor of this number. Fails with CursorNotFound (43). */
  get(id: bigint): Cursor {
    this.#closeIdle();
    const cursor = this.#open.get(id);
    if (!cursor) throw new MongoError(43, 'CursorNotFound', `cursor id ${id} not found`);
    cursor.usedAt = performance.now();
    return cursor;
  }

  /** Closes a cursor; false when there is none of this number. */
  kill(id: bigint): boolean {
    const cursor = this.#open.get(id);
    if (!cursor) return false;
    this.#open.delete(id);
    cursor.documents.return?.();
    return true;
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.kill(id);
  }

  #closeIdle(): void {
    const limit = performance.now() - IDLE_MS;
    for (const cursor of this.#open.values()) {
      if (cursor.usedAt < limit && !cursor.neverTimesOut && !cursor.isBusy) this.kill(cursor.id);
    }
  }
}

/** What the array around a document adds to it: type, name and end of each element, roughly. */
const PER_DOCUMENT_BYTES = 8;
