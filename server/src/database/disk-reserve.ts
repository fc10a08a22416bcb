import type { Logger } from 'pino';
import type { Duration } from '../platform/duration.ts';

/** The polling interval of the free space, and the shorter one while less than SCARCE times the reserve is free. */
const CHECKED_EVERY_MS: Duration = 1_000;
const CHECKED_OFTEN_MS: Duration = 100;
const SCARCE = 4;

/** So much more than the reserve has to be free for it to be over: what is refused once is not taken the next moment. */
const OVER = 1.25;

const LOST =
  'the database is not in its place any more: nothing is stored until it is back, or the server is started again';

/**
 * Keeps the last of the embedded database's disk for what has to work on a full one: deleting needs room, too, until
 * what is deleted gives some. Who stores asks `isReached`, which is the answer of the last look.
 */
export class DiskReserve {
  readonly #look: () => Promise<number>;
  readonly #bytes: number;
  readonly #log: Logger;
  #freeBytes = Number.POSITIVE_INFINITY;
  #isReached = false;
  #isLost = false;
  #next: NodeJS.Timeout | undefined;
  #isStopped = false;

  /**
   * @param look tells how many bytes can still be written
   * @param bytes the size of the reserve
   */
  constructor(look: () => Promise<number>, bytes: number, log: Logger) {
    this.#look = look;
    this.#bytes = bytes;
    this.#log = log;
  }

  /** Whether only the reserve is left: nothing is to be stored then but what makes room. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** How many bytes could be written at the last look. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    await this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#next);
  }

  /** Whether it is reached, for who stores much at a time: where there is not much more, it looks anew. */
  async isReachedNow(): Promise<boolean> {
    if (this.#isScarce()) await this.#lookAnew();
    return this.#isReached;
  }

  async #check(): Promise<void> {
    await this.#lookAnew();
    if (this.#isStopped) return;
    const pause = this.#isScarce() ? CHECKED_OFTEN_MS : CHECKED_EVERY_MS;
    this.#next = setTimeout(() => void this.#check(), pause).unref();
  }

  async #lookAnew(): Promise<void> {
    try {
      this.#freeBytes = await this.#look();
      if (this.#isLost) this.#log.info('the database is in its place again');
      this.#isLost = false;
      this.#decide();
    } catch (error) {
      if (!this.#isLost) this.#log.error({ err: error }, LOST);
      this.#isLost = true;
    }
  }

  #isScarce(): boolean {
    return this.#freeBytes < this.#bytes * SCARCE;
  }

  #decide(): void {
    const isReached = this.#freeBytes < this.#bytes * (this.#isReached ? OVER : 1);
    if (isReached === this.#isReached) return;
    this.#isReached = isReached;
    const room = { free_bytes: this.#freeBytes, reserve_bytes: this.#bytes };
    if (isReached)
      this.#log.warn(room, 'the disk is nearly full: what stores is refused until there is room');
    else this.#log.info(room, 'the disk has room again: what stores is taken');
  }
}
