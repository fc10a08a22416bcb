import type { Logger } from 'pino';
import type { Duration } from '../platform/duration.ts';
import { JobBuffer } from './job-buffer.ts';
import type { Job, JobKind, Result, Target } from './job-kind.ts';
import { type Lane, READS } from './lane.ts';
import { Lanes } from './lanes.ts';
import type { Places } from './places.ts';

/** The part of an origin's places that probes of paused lanes may take: those that go on as they should have the others. */
const PROBED_PART = 1 / 4;

/** After a failure of the database. */
const AGAIN_AFTER_MS = 1_000;

/** What the queue of an origin needs of the process's runner. */
interface Runner<R extends Result> {
  log: Logger;
  /** Of the process, beside those of the origin. */
  places: Places;
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
 * Sends everything that goes to one origin. Its queues take turns, so that neither a long queue nor a slow or failing one holds
 * up the others: first by lanes, one for each account, then the queues of a lane.
 */
export class OriginQueue<J extends Job, T extends Target, R extends Result> {
  readonly origin: string;
  readonly #kind: JobKind<J, T, R>;
  readonly #runner: Runner<R>;
  readonly #buffers = new Map<string, JobBuffer<J>>();
  readonly #lanes: Lanes<J>;
  readonly #mostProbes: number;
  #inFlight = 0;
  #probes = 0;
  #reads = 0;
  #isClosed = false;
  /** As the next owner knows it. */
  #isPaused: boolean;
  #idleSince = performance.now();

  constructor(origin: string, kind: JobKind<J, T, R>, runner: Runner<R>, isPaused: boolean) {
    this.origin = origin;
    this.#kind = kind;
    this.#runner = runner;
    this.#isPaused = isPaused;
    this.#mostProbes = Math.max(1, Math.floor(kind.limits.perOrigin * PROBED_PART));
    this.#lanes = new Lanes(kind.limits, isPaused, (lane) => {
      this.#lanes.sort(lane);
      this.advance();
    });
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

  /** A request, of a queue or not, has reached the origin. @param owner whose it was, as JobKind has it */
  reached(owner: string): void {
    const lane = this.#lanes.of(owner);
    if (lane) this.#reachedBy(lane);
  }

  /** Begins what may begin now. */
  advance(): void {
    if (this.#isClosed || !this.#runner.mayBegin()) return;
    while (this.#inFlight < this.#kind.limits.perOrigin) {
      const lane = this.#lanes.next(this.#probes < this.#mostProbes);
      if (!lane) break;
      if (this.#hasPlace(lane)) this.#beginNext(lane);
    }
    while (this.#reads < READS) {
      const lane = this.#lanes.nextHungry();
      if (!lane) break;
      const [buffer] = lane.hungry;
      if (buffer) void this.#read(lane, buffer);
      this.#lanes.sort(lane);
    }
  }

  /** Begins nothing more; what is under way ends by itself. */
  close(): void {
    this.#isClosed = true;
    this.#lanes.close();
    for (const buffer of this.#buffers.values()) buffer.close();
  }

  #add(queue: string): JobBuffer<J> {
    const read = async (limit: number): Promise<J[]> => {
      const found = await this.#kind.read(queue, limit);
      const [first] = found;
      if (first) this.#lanes.know(buffer, this.#kind.ownerOf(first));
      return found;
    };
    const kind = this.#kind;
    const jobs = { read, prepare: kind.prepare?.bind(kind), release: kind.release?.bind(kind) };
    const buffer = new JobBuffer<J>(queue, jobs, () => this.check(queue));
    this.#buffers.set(queue, buffer);
    this.#lanes.add(buffer);
    return buffer;
  }

  async #read(from: Lane<J>, buffer: JobBuffer<J>): Promise<void> {
    from.hungry.delete(buffer);
    from.reads++;
    this.#reads++;
    const isKnown = this.#lanes.isKnown(buffer);
    // Of a paused lane one request goes out; whose it is one job shows, and a second one whether there are more.
    const atMost = !isKnown ? 2 : from.breaker.state === 'closed' ? undefined : 1;
    await buffer.read(atMost).catch((error) => this.#tryLater(buffer, error));
    from.reads--;
    this.#reads--;
    this.#lanes.sort(from);
    if (this.#isClosed) return buffer.close();
    const lane = this.#lanes.laneOf(buffer);
    const isRefused = isKnown ? lane?.breaker.state === 'open' : !lane?.hasRoom;
    if (isRefused || buffer.isLeaving) buffer.putBack();
    this.#goOn(buffer);
  }

  /** One that has none now is told of the next. */
  #hasPlace(lane: Lane<J>): boolean {
    const { places } = this.#runner;
    if (places.take(lane.owner)) return true;
    places.wait(lane.owner, lane, () => {
      this.#lanes.sort(lane);
      this.advance();
    });
    return false;
  }

  #beginNext(lane: Lane<J>): void {
    const [buffer] = lane.runnable;
    // To the end of its line, as the lane: queues take turns.
    if (buffer) lane.runnable.delete(buffer);
    const job = buffer?.ready.shift();
    if (buffer && job) this.#begin(lane, buffer, job);
    else this.#runner.places.leave(lane.owner);
    if (buffer) this.#settle(buffer);
  }

  /** In a place of the process that has been taken. */
  #begin(lane: Lane<J>, buffer: JobBuffer<J>, job: J): void {
    const probes = lane.breaker.state === 'closed' ? 0 : 1;
    const count = (by: 1 | -1): void => {
      buffer.inFlight += by;
      lane.inFlight += by;
      this.#inFlight += by;
      this.#probes += by * probes;
    };
    count(1);
    lane.breaker.began();
    const run = this.#run(lane, buffer, job, () => {
      count(-1);
      this.#runner.places.leave(lane.owner);
    });
    this.#runner.track(run.catch((error) => this.#tryLater(buffer, error)));
  }

  async #run(lane: Lane<J>, buffer: JobBuffer<J>, job: J, ended: () => void): Promise<void> {
    let result: R | undefined;
    try {
      result = await this.#attempt(buffer.queue, job);
      if (result) this.#learn(lane, result);
      else this.#leftAlone(lane, buffer);
    } finally {
      ended();
      this.#lanes.sort(lane);
      this.#tell();
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
  #leftAlone(lane: Lane<J>, buffer: JobBuffer<J>): void {
    buffer.hasMore = true;
    lane.breaker.unused();
  }

  #learn(lane: Lane<J>, { isWell }: Result): void {
    if (isWell) this.#reachedBy(lane);
    if (isWell === undefined) lane.breaker.unused();
    if (isWell !== false || !this.#lanes.failed(lane)) return;
    const { origin } = this;
    this.#runner.log.warn(
      { origin, owner: lane.owner },
      'origin failed too often in a row: paused, and probed',
    );
    this.#tell();
    for (const buffer of lane.buffers) {
      buffer.putBack();
      this.#settle(buffer);
    }
  }

  #reachedBy(lane: Lane<J>): void {
    if (!this.#lanes.succeeded(lane)) return;
    const { origin } = this;
    this.#runner.log.info({ origin, owner: lane.owner }, 'origin answers again: what waited goes out');
    this.#tell();
    for (const { queue } of [...lane.buffers]) this.check(queue);
  }

  /** Has the next owner know whether something is paused. */
  #tell(): void {
    const { isPaused } = this.#lanes;
    if (this.#isClosed) return;
    if (isPaused !== this.#isPaused) this.#runner.setPaused(isPaused);
    this.#isPaused = isPaused;
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
    const { queue, isIdle, isLeaving } = buffer;
    const lane = this.#lanes.laneOf(buffer);
    if (!lane) return;
    lane.sort(buffer, this.#kind.limits.perQueue);
    this.#lanes.sort(lane);
    if (!isIdle) return;
    this.#forget(queue);
    this.#runner.left(queue, isLeaving);
  }

  #forget(queue: string): void {
    const buffer = this.#buffers.get(queue);
    if (!buffer) return;
    buffer.close();
    this.#buffers.delete(queue);
    this.#lanes.delete(buffer);
    this.#tell();
    if (this.#buffers.size === 0) this.#idleSince = performance.now();
  }
}
