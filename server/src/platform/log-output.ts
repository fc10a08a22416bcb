import { write, writeSync } from 'node:fs';

/** What waits for a slow reader; lines beyond it are lost, and the server goes on. */
const MAX_WAITING_CHARACTERS = 1_048_576;

/** A pipe that is full is tried again. */
const FULL_PIPE = ['EAGAIN', 'EBUSY'];
const AGAIN_AFTER_MS = 100;

/** How long the end of the process waits for a pipe that is full. */
const LAST_TRIES = 10;

const NOTHING = Buffer.alloc(0);

const sleepSync = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/**
 * Writes the log's lines to a descriptor, off the main thread. What can't be written, as on a full disk, is lost:
 * pino's own destination ends the process then, or waits in `flushSync` for ever.
 */
export class LogOutput {
  readonly #fd: number;
  #waiting = '';
  #isWriting = false;
  /** What was taken to be written and has not gone yet; a thread may be at it. */
  #rest: Buffer = NOTHING;
  #isInThread = false;
  #retry: NodeJS.Timeout | undefined;
  /** Something of a line was lost: the next one has to begin at the beginning of one. */
  #isBroken = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > MAX_WAITING_CHARACTERS) return;
    this.#waiting += line;
    if (!this.#isWriting) this.#next();
  }

  /** Writes what waits before the process ends; what a full pipe has not taken within a second is lost. */
  flushSync(): void {
    clearTimeout(this.#retry);
    // How much a thread has written by now is not known: what follows begins a line of its own.
    if (this.#isInThread) this.#isBroken = true;
    let bytes = this.#isInThread ? this.#take() : Buffer.concat([this.#rest, this.#take()]);
    for (let tries = 0; bytes.length > 0 && tries < LAST_TRIES; ) {
      try {
        bytes = bytes.subarray(writeSync(this.#fd, bytes));
      } catch (error) {
        if (!FULL_PIPE.includes(codeOf(error))) break;
        tries++;
        sleepSync(AGAIN_AFTER_MS);
      }
    }
    this.#isBroken = bytes.length > 0;
    if (this.#isInThread) return;
    this.#rest = NOTHING;
    this.#isWriting = false;
  }

  #take(): Buffer {
    const text = this.#isBroken && this.#waiting ? `\n${this.#waiting}` : this.#waiting;
    this.#waiting = '';
    return Buffer.from(text);
  }

  #next(): void {
    const bytes = this.#take();
    this.#isWriting = bytes.length > 0;
    if (this.#isWriting) this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    this.#rest = bytes;
    this.#isInThread = true;
    write(this.#fd, bytes, (error, written) => {
      this.#isInThread = false;
      if (error && FULL_PIPE.includes(codeOf(error))) {
        this.#retry = setTimeout(() => this.#write(bytes), AGAIN_AFTER_MS);
        // Whoever has nothing else to do ends, and tries for the last time then.
        this.#retry.unref();
      } else if (error) {
        this.#rest = NOTHING;
        this.#isBroken = true;
        this.#isWriting = false;
      } else if (written < bytes.length) {
        this.#write(bytes.subarray(written));
      } else {
        this.#rest = NOTHING;
        this.#isBroken = false;
        this.#next();
      }
    });
  }
}
