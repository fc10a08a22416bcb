import type { Logger } from 'pino';
import { isPast } from '../../database/has-come.ts';
import type { Duration } from '../../platform/duration.ts';
import { randomLetters } from '../../platform/ids.ts';
import type { OpenConnectionsCount, OpenConnectionsModel } from './open-connections.model.ts';

/** A process that has died counts no longer than this (milliseconds). */
const LIVES_FOR_MS = 150_000;
const SIGN_OF_LIFE_EVERY_MS = 60_000;

/**
 * Holds the number of connections that one address may have open at once, on all server processes together. Each
 * process writes its own counts whole, so that one that was not written is made up for by the next.
 */
export class OpenConnections {
  readonly #counts: OpenConnectionsModel;
  readonly #max: number;
  readonly #isOnlyProcess: boolean;
  readonly #log: Logger;
  readonly #signOfLifeEvery: Duration;
  readonly #own = new Map<string, number>();
  /** What the database has of that; nothing of an address whose last write may have failed. */
  readonly #written = new Map<string, number>();
  /** The write of an address that has not begun, and will take what the count is then. */
  readonly #waiting = new Map<string, Promise<boolean>>();
  readonly #writing = new Map<string, Promise<boolean>>();
  /** Addresses whose last write failed. */
  readonly #failed = new Set<string>();
  readonly #process = randomLetters(10);
  #timer: NodeJS.Timeout | undefined;

  /** @param isOnlyProcess the database is this process's alone: there is nobody to share the counts with */
  constructor(
    counts: OpenConnectionsModel,
    max: number,
    isOnlyProcess: boolean,
    log: Logger,
    signOfLifeEvery: Duration = SIGN_OF_LIFE_EVERY_MS,
  ) {
    this.#counts = counts;
    this.#max = max;
    this.#isOnlyProcess = isOnlyProcess;
    this.#log = log;
    this.#signOfLifeEvery = signOfLifeEvery;
  }

  start(): void {
    if (this.#isOnlyProcess) return;
    this.#timer = setInterval(() => {
      for (const address of this.#failed) void this.#write(address);
      if (this.#own.size === 0) return;
      const own = { process: this.#process };
      void this.#try(this.#counts.updateMany(own, { $set: { expires_at: this.#expiry() } }));
    }, this.#signOfLifeEvery);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#isOnlyProcess) return;
    await Promise.all(this.#writing.values());
    await this.#try(this.#counts.deleteMany({ process: this.#process }));
  }

  /**
   * Counts a connection that opens.
   * @param factor how many times as many as one address may be open
   * @returns false when it is one too many; it is not counted then
   */
  async enter(address: string, factor = 1): Promise<boolean> {
    const max = this.#max * factor;
    const own = this.#ownOf(address) + 1;
    if (own > max) return false;
    this.#own.set(address, own);
    if (this.#isOnlyProcess) return true;
    // A limit is not worth refusing everybody when the database is gone.
    if (!(await this.#write(address))) return true;
    const others = await this.#try(
      this.#counts
        .find({ address, process: { $ne: this.#process } })
        .lean<OpenConnectionsCount[]>()
        .exec(),
    );
    const now = new Date();
    const count = (others ?? [])
      .filter(({ expires_at }) => !isPast(expires_at, now, LIVES_FOR_MS))
      .reduce((sum, one) => sum + one.count, this.#ownOf(address));
    if (count <= max) return true;
    this.leave(address);
    return false;
  }

  /** A connection that was counted has closed. */
  leave(address: string): void {
    const left = this.#ownOf(address) - 1;
    if (left > 0) this.#own.set(address, left);
    else this.#own.delete(address);
    if (!this.#isOnlyProcess) void this.#write(address);
  }

  #ownOf(address: string): number {
    return this.#own.get(address) ?? 0;
  }

  /** Writes what this process has of an address, one write after the other. @returns whether the database has it */
  #write(address: string): Promise<boolean> {
    const waiting = this.#waiting.get(address);
    if (waiting) return waiting;
    const write = (this.#writing.get(address) ?? Promise.resolve(true)).then(async () => {
      this.#waiting.delete(address);
      const isWritten = await this.#store(address);
      if (this.#writing.get(address) === write) this.#writing.delete(address);
      return isWritten;
    });
    this.#waiting.set(address, write);
    this.#writing.set(address, write);
    return write;
  }

  async #store(address: string): Promise<boolean> {
    const count = this.#ownOf(address);
    if (this.#written.get(address) === count) return true;
    this.#written.delete(address);
    const _id = `${this.#process} ${address}`;
    const set = { process: this.#process, address, count, expires_at: this.#expiry() };
    const isWritten = await this.#try<unknown>(
      count > 0
        ? this.#counts.updateOne({ _id }, { $set: set }, { upsert: true })
        : this.#counts.deleteOne({ _id }),
    );
    if (!isWritten) this.#failed.add(address);
    else this.#failed.delete(address);
    if (isWritten && count > 0) this.#written.set(address, count);
    return !!isWritten;
  }

  #expiry(): Date {
    return new Date(Date.now() + LIVES_FOR_MS);
  }

  async #try<T>(work: PromiseLike<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.#log.debug({ err: error }, 'open connections could not be counted');
      return undefined;
    }
  }
}
