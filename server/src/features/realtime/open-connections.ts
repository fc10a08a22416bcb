import type { Logger } from 'pino';
import { randomLetters } from '../../platform/ids.ts';
import type { OpenConnectionsCount, OpenConnectionsModel } from './open-connections.model.ts';

/** A process that has died counts no longer than this (milliseconds). */
const LIVES_FOR_MS = 150_000;
const SIGN_OF_LIFE_EVERY_MS = 60_000;

/** Holds the number of connections that one address may have open at once, on all server processes together. */
export class OpenConnections {
  readonly #counts: OpenConnectionsModel;
  readonly #max: number;
  readonly #isOnlyProcess: boolean;
  readonly #log: Logger;
  readonly #own = new Map<string, number>();
  readonly #process = randomLetters(10);
  #timer: NodeJS.Timeout | undefined;

  /** @param isOnlyProcess the database is this process's alone: there is nobody to share the counts with */
  constructor(counts: OpenConnectionsModel, max: number, isOnlyProcess: boolean, log: Logger) {
    this.#counts = counts;
    this.#max = max;
    this.#isOnlyProcess = isOnlyProcess;
    this.#log = log;
  }

  start(): void {
    if (this.#isOnlyProcess) return;
    this.#timer = setInterval(() => {
      if (this.#own.size === 0) return;
      const own = { process: this.#process };
      this.#try(this.#counts.updateMany(own, { $set: { expires_at: this.#expiry() } }));
    }, SIGN_OF_LIFE_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#isOnlyProcess) await this.#try(this.#counts.deleteMany({ process: this.#process }));
  }

  /** Counts a connection that opens. @returns false when it is one too many; it is not counted then */
  async enter(address: string): Promise<boolean> {
    const own = (this.#own.get(address) ?? 0) + 1;
    if (own > this.#max) return false;
    this.#own.set(address, own);
    if (this.#isOnlyProcess) return true;
    const _id = `${this.#process} ${address}`;
    const entered = this.#counts.updateOne(
      { _id },
      { $inc: { count: 1 }, $set: { process: this.#process, address, expires_at: this.#expiry() } },
      { upsert: true },
    );
    // A limit is not worth refusing everybody when the database is gone.
    if (!(await this.#try(entered))) return true;
    const all = await this.#try(this.#counts.find({ address }).lean<OpenConnectionsCount[]>().exec());
    const now = Date.now();
    const count = (all ?? [])
      .filter(({ expires_at }) => expires_at.getTime() > now)
      .reduce((sum, one) => sum + one.count, 0);
    if (count <= this.#max) return true;
    this.leave(address);
    return false;
  }

  /** A connection that was counted has closed. */
  leave(address: string): void {
    const left = (this.#own.get(address) ?? 1) - 1;
    if (left > 0) this.#own.set(address, left);
    else this.#own.delete(address);
    if (this.#isOnlyProcess) return;
    const _id = `${this.#process} ${address}`;
    void this.#try(this.#counts.updateOne({ _id }, { $inc: { count: -1 } }));
    if (left <= 0) void this.#try(this.#counts.deleteOne({ _id, count: { $lte: 0 } }));
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
