import type { Logger } from 'pino';
import type { Duration } from '../../platform/duration.ts';
import type { OpenConnectionsCount, OpenConnectionsModel } from './open-connections.model.ts';

/** How often a process looks whether all of its counts are where others look for them (milliseconds). */
const LOOK_EVERY_MS = 2_000;

/** The counts of dead processes, which count no more, are swept once in this many intervals: every minute. */
const SWEEP_EVERY = 30;

/** Counts that are written again at a time: after others took this process for dead all of them are to be. */
const WRITES_AGAIN = 20;

/** Who runs on this database, as for all that is shared among processes (origin-leases.ts). */
export interface LivingProcesses {
  /** What others know this process by; undefined before they do, and another one after they thought it dead. */
  readonly id: string | undefined;
  isAlive(process: string): Promise<boolean>;
}

/**
 * Holds the number of connections that one address may have open at once, on all server processes together. Each
 * process writes its own counts whole, so that one that was not written is made up for by the next. They count while
 * it lives, so that they need no sign of life of their own.
 */
export class OpenConnections {
  readonly #counts: OpenConnectionsModel;
  readonly #max: number;
  readonly #processes: LivingProcesses | undefined;
  readonly #log: Logger;
  readonly #lookEvery: Duration;
  readonly #own = new Map<string, number>();
  /** What the database has of that; nothing of an address whose last write may have failed. */
  readonly #written = new Map<string, number>();
  /** The write of an address that has not begun, and will take what the count is then. */
  readonly #waiting = new Map<string, Promise<boolean>>();
  readonly #writing = new Map<string, Promise<boolean>>();
  /** Addresses whose last write failed, or that others look for in vain. */
  readonly #failed = new Set<string>();
  /** What the counts were last written by. */
  #process: string | undefined;
  #looks = 0;
  #isWritingAgain = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param processes undefined where the database is this process's alone: there is nobody to share the counts with */
  constructor(
    counts: OpenConnectionsModel,
    max: number,
    processes: LivingProcesses | undefined,
    log: Logger,
    lookEvery: Duration = LOOK_EVERY_MS,
  ) {
    this.#counts = counts;
    this.#max = max;
    this.#processes = processes;
    this.#log = log;
    this.#lookEvery = lookEvery;
  }

  start(): void {
    if (!this.#processes) return;
    this.#timer = setInterval(() => {
      this.#followId();
      void this.#writeAgain();
      if (this.#looks++ % SWEEP_EVERY === 0) void this.#try(this.#sweep());
    }, this.#lookEvery);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!this.#processes) return;
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
    if (!this.#processes) return true;
    // A limit is not worth refusing everybody when the database is gone.
    if (!(await this.#write(address))) return true;
    const others = await this.#try(this.#countOfOthers(address));
    if (this.#ownOf(address) + (others ?? 0) <= max) return true;
    this.leave(address);
    return false;
  }

  /** A connection that was counted has closed. */
  leave(address: string): void {
    const left = this.#ownOf(address) - 1;
    if (left > 0) this.#own.set(address, left);
    else this.#own.delete(address);
    if (this.#processes) void this.#write(address);
  }

  async #countOfOthers(address: string): Promise<number> {
    const others = await this.#counts
      .find({ address, process: { $ne: this.#process } })
      .lean<OpenConnectionsCount[]>();
    let sum = 0;
    for (const { process, count } of others) if (await this.#processes?.isAlive(process)) sum += count;
    return sum;
  }

  /** Others have taken this process for dead, and count nothing of what it wrote: all is written anew by its new id. */
  #followId(): string | undefined {
    const id = this.#processes?.id;
    if (id === undefined || id === this.#process) return id;
    const before = this.#process;
    this.#process = id;
    this.#written.clear();
    for (const address of this.#own.keys()) this.#failed.add(address);
    if (before !== undefined) void this.#try(this.#counts.deleteMany({ process: before }));
    return id;
  }

  /** A process stands among the living before it counts anything: whose counts are found first, and not it, is dead. */
  async #sweep(): Promise<void> {
    for (const process of await this.#counts.distinct('process')) {
      const isLiving = process === this.#process || (await this.#processes?.isAlive(process));
      if (!isLiving) await this.#counts.deleteMany({ process });
    }
  }

  /** Writes what failed, or is to be written by a new id, as far as the database takes it. */
  async #writeAgain(): Promise<void> {
    if (this.#isWritingAgain) return;
    this.#isWritingAgain = true;
    const addresses = [...this.#failed].values();
    const some = async (): Promise<void> => {
      // What waits for a database that is away need not wait twice.
      for (const address of addresses)
        if (!this.#timer || (!this.#writing.has(address) && !(await this.#write(address)))) return;
    };
    await Promise.all(Array.from({ length: WRITES_AGAIN }, some));
    this.#isWritingAgain = false;
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
    const process = this.#followId();
    const count = this.#ownOf(address);
    if (this.#written.get(address) === count) return true;
    this.#written.delete(address);
    // Until it is written, or has become another one's to write.
    this.#failed.add(address);
    if (process === undefined) return false;
    const _id = `${process} ${address}`;
    const set = { process, address, count };
    const isWritten = await this.#try<unknown>(
      count > 0
        ? this.#counts.updateOne({ _id }, { $set: set }, { upsert: true })
        : this.#counts.deleteOne({ _id }),
    );
    if (!isWritten || process !== this.#process) return false;
    this.#failed.delete(address);
    if (count > 0) this.#written.set(address, count);
    return true;
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
