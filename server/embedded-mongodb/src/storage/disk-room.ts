/**
 * Whether the disk has room for a transaction, asked before LMDB writes it. LMDB must not be the one to find out: where
 * writing a page fails, lmdb 3.5 puts its error message into a block that is too short (`mdb_page_flush`: `malloc(100)`,
 * and numbers of any length), and what lies behind it in memory is overwritten.
 */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { notWritable } from '../errors/mongo-error.ts';
import { DataPlace } from './data-place.ts';
import { FileEnd } from './file-end.ts';

/** A reserve that storing leaves to what removes. */
const KEPT_BYTES = 1024 * 1024;

/** What a small transaction writes at most besides what it stores: the trees' upper pages, the list of free pages. */
const TRANSACTION_BYTES = 128 * 1024;

/** What each key adds besides its value: the page it stands in, and another above or beside it. */
const KEY_BYTES = 8 * 1024;

/** So much of a large transaction finds its place ready: made for all of it, the file would be far too large. */
const READY_BYTES = 4 * 1024 * 1024;

/** A value of more than a page needs free pages in a row: with so much less of them it is counted. */
const LARGE_VALUE_BYTES = 2 * 1024;
const IN_A_ROW = 1 / 8;

/** Less than this is scarce: what changes many documents then does it in small parts. */
const SCARCE_BYTES = 64 * 1024 * 1024;

/** How long nothing is stored after LMDB failed to write for a reason that could not be seen before. */
const PAUSE_MS = 10_000;

/** A transaction that the disk has no room for. */
export class NoRoomError extends Error {}

/** Asked for the data file, in bytes: where its last page ends, and what its free pages take. */
interface Pages {
  end(): number;
  free(): number;
}

export class DiskRoom {
  readonly #directory: string;
  readonly #pages: Pages;
  readonly #place: DataPlace;
  readonly #end: FileEnd;
  #changedKeys = 0;
  #storedBytes = 0;
  #hasLargeValue = false;
  #pausedUntil = 0;
  #pausedFor: unknown;

  /** @param directory with a data file */
  constructor(directory: string, pages: Pages) {
    this.#directory = directory;
    this.#pages = pages;
    this.#place = new DataPlace(directory);
    this.#end = new FileEnd(join(directory, 'data.mdb'), () => pages.end());
  }

  /** Forgets what was announced: a transaction begins. */
  begin(): void {
    this.#changedKeys = 0;
    this.#storedBytes = 0;
    this.#hasLargeValue = false;
  }

  /** Announces a key that is about to be stored. @param bytes length of its value */
  store(bytes: number): void {
    this.#changedKeys++;
    this.#storedBytes += bytes;
    if (bytes > LARGE_VALUE_BYTES) this.#hasLargeValue = true;
  }

  /** Announces that keys are removed. */
  remove(keys = 1): void {
    this.#changedKeys += keys;
  }

  /** Fails with a NoRoomError when what was announced may not fit, and with a MongoError when nothing can be written now. */
  check(): void {
    const changed = this.#changedKeys * KEY_BYTES + this.#storedBytes;
    if (changed === 0) return;
    this.#checkPlace();
    this.#probe();
    const needed = TRANSACTION_BYTES + changed;
    const isStoring = this.#storedBytes > 0;
    if (isStoring) this.#checkStoring(needed + KEPT_BYTES);
    // On Windows LMDB itself makes the file larger, and tells of a full disk as it should.
    if (process.platform === 'win32') return;
    try {
      this.#end.makeReady(Math.min(needed, READY_BYTES), isStoring ? KEPT_BYTES : 0);
    } catch (error) {
      if (this.#freeBytes() < needed) throw new NoRoomError((error as Error).message);
    }
  }

  /** Whether there is so little room that a transaction should be small. */
  isScarce(): boolean {
    return this.#diskBytes() < SCARCE_BYTES;
  }

  /** Told that LMDB failed to write. @param why what a client is told of it, also by the next ones for a while */
  failed(why: unknown): void {
    this.#pausedFor = why;
    this.#pausedUntil = performance.now() + PAUSE_MS;
  }

  close(): void {
    this.#end.close();
  }

  #checkPlace(): void {
    const { loss } = this.#place;
    if (loss !== undefined) throw notWritable(loss);
  }

  #probe(): void {
    try {
      this.#end.probe();
    } catch (error) {
      throw notWritable((error as Error).message);
    }
  }

  #checkStoring(needed: number): void {
    if (performance.now() < this.#pausedUntil) throw this.#pausedFor;
    const left = this.#diskBytes();
    if (left >= needed || left + this.#freeBytes() >= needed) return;
    throw new NoRoomError(`${needed} bytes may be needed, and there are fewer`);
  }

  #diskBytes(): number {
    this.#checkPlace();
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }

  /** What the file's free pages have room for. */
  #freeBytes(): number {
    return this.#pages.free() * (this.#hasLargeValue ? IN_A_ROW : 1);
  }
}
