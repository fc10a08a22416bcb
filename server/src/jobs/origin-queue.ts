import type { Logger } from 'pino';
import type { Duration } from '../platform/duration.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { JobBuffer } from './job-buffer.ts';
import type { Job, JobKind, Result, Target } from './job-kind.ts';

/** Reads at a time; more queues wait for their turn. */
const READS = 4;

/** After a failure of the database. */
const AGAIN_AFTER_MS = 1_000;

/** What the queue of an origin needs of the process's runner. */
interface Runner<R extends Result> {
  log: Logger;
  /** Whether an attempt may begin now. */
  mayBegin(): boolean;
  /** Runs what a stopping runner waits for. */
  track(run: Promise<void>): void;
  record(result: R): Promise<void>;
  /** The target of a queue is gone. */
  drop(queue: string): Promise<void>;
  /** Nothing of a queue is in hand any more. @param isLeaving its target is elsewhere now */
  left(queue: string, isLeaving: boolean): void;
  /** Keeps for the next owner whether the origin is paused. */
  setPaused(isPaused: boolean): void;
}

/**
 * Sends everything that goes to one origin. Its queues take turns, so that neither a long queue nor a slow or
 * failing one holds up the others.
 */
export class OriginQueue<J extends Job, T extends Target, R extends Result> {
  readonly origin: string;
  readonly #kind: JobKind<J, T, R>;
  readonly #runner: Runner<R>;
  readonly #breaker: CircuitBreaker;
  readonly #buffers = new Map<string, JobBuffer<J>>();
  /** Those with something ready and a free place, and those to be read, each in the order of their turns. */
  readonly #runnable = new Set<JobBuffer<J>>();
  readonly #hungry = new Set<JobBuffer<J>>();
  #inFlight = 0;
  #reads = 0;
  #isClosed = false;
  #idleSince = performance.now();

  constructor(origin: string, kind: JobKind<J, T, R>, runner: Runner<R>, isPaused: boolean) {
    this.origin = origin;
    this.#kind = kind;
    this.#runner = runner;
    this.#breaker = new CircuitBreaker(kind.limits, () => this.advance());
    if (isPaused) this.#breaker.resume();
  }

  /** How long nothing has waited here, in milliseconds. */
  get idleFor(): Duration {
    return this.#buffers.size > 0 || this.#inFlight > 0 ? 0 : performance.now() - this.#idleSince;
  }

  /** Something may be waiting in a queue. */
  check(queue: string): void {
    if (this.#isClosed) return;
    const buffer = this.#buffers.get(queue) ?? this.#add(queue);
    buffer.isLeaving = false;
    buffer.hasMore = true;
    this.#goOn(buffer);
  }

  /** The target of a queue is elsewhere now: begins nothing more of it, and leaves it when it can. */
  leave(queue: string): void {
    const buffer = this.#buffers.get(queue) ?? this.#add(queue);
    buffer.isLeaving = true;
    buffer.putBack();
    this.#settle(buffer);
  }

  /** A request, of a queue or not, has reached the origin. */
  reached(): void {
    if (!this.#breaker.succeeded()) return;
    this.#runner.log.info({ origin: this.origin }, 'origin answers again: what waited goes out');
    this.#runner.setPaused(false);
    for (const queue of [...this.#buffers.keys()]) this.check(queue);
  }

  /** Begins what may begin now. */
  advance(): void {
    if (this.#isClosed || !this.#runner.mayBegin()) return;
    const { perOrigin } = this.#kind.limits;
    for (const buffer of this.#runnable) {
      if (this.#inFlight >= perOrigin || !this.#breaker.admits(this.#inFlight)) break;
      // To the end of the line: the queues take turns.
      this.#runnable.delete(buffer);
      const job = buffer.ready.shift();
      if (job) this.#begin(buffer, job);
      this.#settle(buffer);
    }
    if (this.#breaker.state === 'open') return;
    const [reads, runnable] = this.#breaker.state === 'closed' ? [READS, perOrigin] : [1, 1];
    for (const buffer of this.#hungry) {
      if (this.#reads >= reads || this.#runnable.size >= runnable) break;
      this.#hungry.delete(buffer);
      void this.#read(buffer);
    }
  }

  /** Begins nothing more; what is under way ends by itself. */
  close(): void {
    this.#isClosed = true;
    this.#breaker.close();
    for (const buffer of this.#buffers.values()) buffer.close();
  }

  #add(queue: string): JobBuffer<J> {
    const read = (limit: number) => this.#kind.read(queue, limit);
    const buffer = new JobBuffer(queue, read, () => this.check(queue));
    this.#buffers.set(queue, buffer);
    return buffer;
  }

  async #read(buffer: JobBuffer<J>): Promise<void> {
    this.#reads++;
    // A paused origin gets one request.
    const atMost = this.#breaker.state === 'closed' ? undefined : 1;
    await buffer.read(atMost).catch((error) => this.#tryLater(buffer, error));
    this.#reads--;
    if (this.#isClosed) return buffer.close();
    if (this.#breaker.state === 'open' || buffer.isLeaving) buffer.putBack();
    this.#goOn(buffer);
  }

  #begin(buffer: JobBuffer<J>, job: J): void {
    buffer.inFlight++;
    this.#inFlight++;
    this.#breaker.began();
    this.#runner.track(this.#run(buffer, job).catch((error) => this.#tryLater(buffer, error)));
  }

  async #run(buffer: JobBuffer<J>, job: J): Promise<void> {
    let result: R | undefined;
    try {
      result = await this.#attempt(buffer.queue, job);
      if (result) this.#learn(result);
      else this.#leftAlone(buffer);
    } finally {
      buffer.inFlight--;
      this.#inFlight--;
      if (!result) buffer.letGo(job._id);
      this.#goOn(buffer);
    }
    if (!result) return;
    await this.#runner.record(result);
    buffer.letGo(job._id);
    if (result.due && !this.#isClosed) buffer.wakeAt(result.due.getTime());
    this.#goOn(buffer);
    await this.#kind.recorded?.(result);
  }

  async #attempt(queue: string, job: J): Promise<R | undefined> {
    const target = await this.#kind.target(queue);
    if (target?.origin === this.origin) return this.#kind.attempt(job, target);
    if (target) {
      this.leave(queue);
    } else {
      this.#forget(queue);
      await this.#runner.drop(queue);
    }
    return undefined;
  }

  /** Nothing was sent: what stands in the queue now is to be read, and a probe may follow at once. */
  #leftAlone(buffer: JobBuffer<J>): void {
    buffer.hasMore = true;
    this.#breaker.unused();
  }

  #learn({ isWell }: Result): void {
    if (isWell) this.reached();
    if (isWell === undefined) this.#breaker.unused();
    if (isWell !== false || !this.#breaker.failed()) return;
    this.#runner.log.warn({ origin: this.origin }, 'origin failed too often in a row: paused, and probed');
    this.#runner.setPaused(true);
    for (const buffer of this.#buffers.values()) {
      buffer.putBack();
      this.#settle(buffer);
    }
  }

  #tryLater(buffer: JobBuffer<J>, error: unknown): void {
    this.#runner.log.warn({ err: error, origin: this.origin }, 'jobs wait for the database');
    if (!this.#isClosed) buffer.wakeAt(Date.now() + AGAIN_AFTER_MS);
  }

  #goOn(buffer: JobBuffer<J>): void {
    this.#settle(buffer);
    this.advance();
  }

  #settle(buffer: JobBuffer<J>): void {
    const { queue, ready, inFlight, isHungry, isIdle, isLeaving } = buffer;
    if (this.#buffers.get(queue) !== buffer) return;
    if (ready.length > 0 && inFlight < this.#kind.limits.perQueue) this.#runnable.add(buffer);
    else this.#runnable.delete(buffer);
    if (isHungry) this.#hungry.add(buffer);
    else this.#hungry.delete(buffer);
    if (!isIdle) return;
    this.#forget(queue);
    this.#runner.left(queue, isLeaving);
  }

  #forget(queue: string): void {
    const buffer = this.#buffers.get(queue);
    if (!buffer) return;
    buffer.close();
    this.#buffers.delete(queue);
    this.#runnable.delete(buffer);
    this.#hungry.delete(buffer);
    if (this.#buffers.size === 0) this.#idleSince = performance.now();
  }
}
