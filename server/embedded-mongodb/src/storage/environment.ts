/**
 * The LMDB environment of one data directory. Writes that ask within one turn of the event loop, or while the disk is busy,
 * share a transaction and a flush (group commit). LMDB's own order of writing is kept (`overlappingSync` is off): neither a
 * killed process nor a power cut loses what was acknowledged, or leaves part of a transaction.
 */
import { open, type RootDatabase } from 'lmdb';
import { MongoError } from '../errors/mongo-error.ts';
import type { Claim } from './claim.ts';
import { DiskRoom, NoRoomError } from './disk-room.ts';
import type { KeySpace } from './key-space.ts';
import { endBytes, pageBytes } from './page-bytes.ts';
import { RangeScan } from './range-scan.ts';
import { afterWriteFailure, isWriteFailure, storageError } from './write-failure.ts';

/** lmdb-js's flag for a transaction that is committed and flushed before the call returns. */
const COMMIT_AND_FLUSH = 2;

/** How many waiting writes share one transaction at most: a bound on how long reads wait for a turn. */
const WRITES_PER_TRANSACTION = 1000;

/** After this time nothing more joins a transaction: one document may have thousands of index entries. */
export const WORK_OF_TRANSACTION_MS = 10;

interface WaitingWrite {
  run: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Nobody else reads the files, wherever the directory lies. (lmdb-js takes this, its types do not know of it.) */
const PRIVATE = { permissionsMode: 0o600 };

/**
 * Bounds LMDB's free list in memory (entries). Contiguous pages are looked for in all of it, in each transaction: with lmdb-js's
 * default of 50 000 a write took 55 ms of CPU time after 100 000 deletions. (lmdb-js takes these, its types do not know of them.)
 */
const FREE_SPACE = { maxFreeSpaceToLoad: 2_000, maxFreeSpaceToRetain: 4_000 };

const BINARY = { keyEncoding: 'binary', encoding: 'binary', cache: false } as const;

export class Environment {
  readonly root: RootDatabase<Buffer, Buffer>;
  /** Format, catalog and counters. */
  readonly meta: KeySpace;
  /** Collection number and `_id` -> the document's BSON. */
  readonly records: KeySpace;
  /** Index number, values and `_id` -> where in the key the `_id` begins. */
  readonly entries: KeySpace;
  /** Told of all that the running transaction writes; one that may not fit is rolled back. */
  readonly room: DiskRoom;
  /** Called inside each transaction after its writes: what is kept in memory writes itself down here. */
  beforeCommit: () => void = () => {};
  /** Called when a transaction was rolled back: what is kept in memory is read anew here. */
  afterAbort: () => void = () => {};

  readonly #directory: string;
  readonly #claim: Claim;
  #holds = 0;
  #waiting: WaitingWrite[] = [];
  #scheduled = false;
  #writing = false;
  readonly #scans = new Set<RangeScan>();

  /** @param claim on the directory, which is let go of with it */
  constructor(directory: string, claim: Claim) {
    this.#directory = directory;
    this.#claim = claim;
    this.root = open<Buffer, Buffer>(directory, {
      ...BINARY,
      ...PRIVATE,
      ...FREE_SPACE,
      maxDbs: 8,
      // Named so because lmdb-js takes a path with an extension for a file otherwise.
      noSubdir: false,
      overlappingSync: false,
      // Only this process writes, and only from this thread; readers are its own scans.
      maxReaders: 126,
    });
    this.room = new DiskRoom(directory, {
      end: () => endBytes(this.root),
      free: () => pageBytes(this).free,
    });
    this.meta = this.root.openDB<Buffer, Buffer>('meta', BINARY);
    this.records = this.root.openDB<Buffer, Buffer>('records', BINARY);
    this.entries = this.root.openDB<Buffer, Buffer>('entries', BINARY);
  }

  /**
   * Runs `run` inside a write transaction, in the order of asking, and resolves after the flush. A MongoError rejects its own
   * promise alone; what was written before it stays, as in MongoDB. After another error, which rolls the transaction back, the
   * writes that shared it are tried again one by one, unless the disk failed.
   */
  write<T>(run: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Runs `run` in a transaction of its own, at once and blocking. */
  writeNow<T>(run: () => T): T {
    this.#writing = true;
    this.room.begin();
    try {
      return this.root.transactionSync(() => {
        const result = run();
        this.room.check();
        this.beforeCommit();
        this.pauseScans();
        return result;
      }, COMMIT_AND_FLUSH as never);
    } catch (error) {
      if (isWriteFailure(error)) {
        afterWriteFailure(error);
        this.room.failed(storageError(error, this.#directory));
      }
      this.pauseScans();
      this.afterAbort();
      throw error;
    } finally {
      this.#writing = false;
    }
  }

  /** Whether the running code is inside a write transaction. */
  get isWriting(): boolean {
    return this.#writing;
  }

  /** Opens a scan of the keys from `low` (inclusive) to `high` (exclusive), backwards when `reverse`. */
  scan(space: KeySpace, low: Buffer, high: Buffer, reverse: boolean, values = true): RangeScan {
    return new RangeScan(space, low, high, reverse, values, this.#scans);
  }

  /**
   * Lets go of the snapshot that open scans read from; each goes on after its last key when it is asked next.
   * Called at the end of each step of a command, so that no snapshot outlives a turn of the event loop:
   * LMDB could not reuse the pages that it still shows.
   */
  pauseScans(): void {
    for (const scan of this.#scans) scan.pause();
  }

  /** Has all writes wait, until `release` has been called as often; reading goes on. */
  hold(): void {
    this.#holds++;
  }

  /** Ends a hold. */
  release(): void {
    this.#holds--;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Ends after the writes that wait. */
  async close(): Promise<void> {
    while (this.#waiting.length > 0) this.#drain();
    this.pauseScans();
    this.room.close();
    await this.root.close();
    await this.#claim.release();
  }

  #schedule(): void {
    if (this.#scheduled || this.#holds > 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#holds > 0) return;
      this.#drain();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #drain(): void {
    const batch = this.#waiting.splice(0, WRITES_PER_TRANSACTION);
    if (batch.length === 0) return;
    try {
      const settle: (() => void)[] = [];
      this.writeNow(() => {
        const until = performance.now() + WORK_OF_TRANSACTION_MS;
        for (const write of batch) {
          settle.push(runOne(write));
          if (performance.now() > until) break;
        }
      });
      this.#waiting.unshift(...batch.slice(settle.length));
      for (const done of settle) done();
    } catch (error) {
      const told = storageError(error, this.#directory);
      // What does not fit together may fit alone; what LMDB failed to write is not tried again at once.
      const isFinal = told instanceof MongoError && !(error instanceof NoRoomError);
      if (batch.length === 1 || isFinal) for (const write of batch) write.reject(told);
      else for (const write of batch) this.#writeAlone(write);
    }
  }

  #writeAlone(write: WaitingWrite): void {
    try {
      let settle = () => {};
      this.writeNow(() => {
        settle = runOne(write);
      });
      settle();
    } catch (error) {
      write.reject(storageError(error, this.#directory));
    }
  }
}

function runOne(write: WaitingWrite): () => void {
  try {
    const value = write.run();
    return () => write.resolve(value);
  } catch (error) {
    if (error instanceof MongoError) return () => write.reject(error);
    throw error;
  }
}
