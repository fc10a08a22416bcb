/** The room at the end of the data file: written with zeros before LMDB uses it, so that its own writes find their place. */
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

/** So much more than is asked for is made ready. */
const AHEAD_BYTES = 1024 * 1024;

const ZEROS = Buffer.alloc(256 * 1024);

export class FileEnd {
  readonly #usedBytes: () => number;
  readonly #file: number;
  /** What is ready and not promised yet, at least: LMDB uses less than it is promised. */
  #readyBytes = 0;

  /**
   * @param path the file, which is there: it is opened once, as whoever opens the database
   * @param usedBytes tells where its last page ends; what lies behind is nobody's
   */
  constructor(path: string, usedBytes: () => number) {
    this.#file = openSync(path, 'r+');
    this.#usedBytes = usedBytes;
  }

  /**
   * Makes ready what one transaction may write, with so much left after it. Fails with the system's error when the
   * file can't grow so far: the disk is full, or there is a quota or a limit for files.
   */
  makeReady(bytes: number, left: number): void {
    this.#readyBytes -= bytes;
    if (this.#readyBytes >= left) return;
    const needed = this.#usedBytes() + bytes;
    let { size } = fstatSync(this.#file);
    try {
      const wanted = size < needed + left ? needed + left + AHEAD_BYTES : size;
      while (size < wanted) {
        size += writeSync(this.#file, ZEROS, 0, Math.min(ZEROS.length, wanted - size), size);
      }
    } catch (error) {
      if (size < needed + left) throw error;
    } finally {
      this.#readyBytes = size - needed;
    }
  }

  /** Fails with the system's error where the disk takes no writes at all, as one that has become read-only. */
  probe(): void {
    // Nothing is written: the system refuses that, too.
    writeSync(this.#file, ZEROS, 0, 0, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}
