import type { JobBuffer } from './job-buffer.ts';
import type { Job, OriginLimits } from './job-kind.ts';
import { Lane } from './lane.ts';

/** The lanes of an origin, one for each owner, and which of them goes on next. */
export class Lanes<J extends Job> {
  readonly #limits: OriginLimits;
  readonly #onHalfOpen: (lane: Lane<J>) => void;
  readonly #byOwner = new Map<string, Lane<J>>();
  readonly #laneOf = new Map<JobBuffer<J>, Lane<J>>();
  /** Of queues of which no job has been read yet: whose they are is not known. */
  readonly #unknown: Lane<J>;
  /** Those that may go on, in the order of their turns. */
  readonly #offering = { job: new Set<Lane<J>>(), probe: new Set<Lane<J>>() };
  readonly #hungry = new Set<Lane<J>>();
  readonly #paused = new Set<Lane<J>>();
  /** Whether another owner of the origin's lease began a pause: it may be anybody's. */
  #wasPaused: boolean;

  /** @param onHalfOpen told when a probe of a lane may begin */
  constructor(limits: OriginLimits, wasPaused: boolean, onHalfOpen: (lane: Lane<J>) => void) {
    this.#limits = limits;
    this.#wasPaused = wasPaused;
    this.#onHalfOpen = onHalfOpen;
    this.#unknown = new Lane<J>('', limits, onHalfOpen);
  }

  /** Whether one of them is paused, or may be. */
  get isPaused(): boolean {
    return this.#wasPaused || this.#paused.size > 0;
  }

  of(owner: string): Lane<J> | undefined {
    return this.#byOwner.get(owner);
  }

  laneOf(buffer: JobBuffer<J>): Lane<J> | undefined {
    return this.#laneOf.get(buffer);
  }

  isKnown(buffer: JobBuffer<J>): boolean {
    return this.#laneOf.get(buffer) !== this.#unknown;
  }

  /** A queue that is new here. */
  add(buffer: JobBuffer<J>): void {
    this.#unknown.buffers.add(buffer);
    this.#laneOf.set(buffer, this.#unknown);
  }

  /** Whose queue it is has shown. */
  know(buffer: JobBuffer<J>, owner: string): void {
    if (this.isKnown(buffer)) return;
    const lane = this.#byOwner.get(owner) ?? this.#new(owner);
    this.#unknown.delete(buffer);
    lane.buffers.add(buffer);
    this.#laneOf.set(buffer, lane);
  }

  delete(buffer: JobBuffer<J>): void {
    const lane = this.#laneOf.get(buffer);
    this.#laneOf.delete(buffer);
    lane?.delete(buffer);
    if (lane) this.sort(lane);
  }

  /** The next one that has something to begin, at the end of the line from then on. @param mayProbe whether a paused one may, too */
  next(mayProbe: boolean): Lane<J> | undefined {
    const { job, probe } = this.#offering;
    return (mayProbe ? shift(probe) : undefined) ?? shift(job);
  }

  /** The next one of which a queue is to be read, likewise. */
  nextHungry(): Lane<J> | undefined {
    return shift(this.#hungry);
  }

  /** Puts a lane where it stands now, behind those that wait already; one that nothing is left of goes. */
  sort(lane: Lane<J>): void {
    const { job, probe } = this.#offering;
    const { offers, isHungry } = lane;
    place(job, lane, offers === 'job');
    place(probe, lane, offers === 'probe');
    place(this.#hungry, lane, isHungry);
    if (lane === this.#unknown || lane.buffers.size > 0 || lane.inFlight > 0) return;
    lane.breaker.close();
    this.#paused.delete(lane);
    if (this.#byOwner.get(lane.owner) === lane) this.#byOwner.delete(lane.owner);
  }

  /** It has failed. @returns whether that began a pause */
  failed(lane: Lane<J>): boolean {
    if (!lane.breaker.failed()) return false;
    this.#paused.add(lane);
    return true;
  }

  /** It has succeeded. @returns whether that ended a pause */
  succeeded(lane: Lane<J>): boolean {
    if (!lane.breaker.succeeded()) return false;
    this.#paused.delete(lane);
    if (this.#paused.size === 0) this.#wasPaused = false;
    return true;
  }

  /** Ends all timers. */
  close(): void {
    for (const lane of this.#byOwner.values()) lane.breaker.close();
  }

  #new(owner: string): Lane<J> {
    const lane = new Lane<J>(owner, this.#limits, this.#onHalfOpen);
    this.#byOwner.set(owner, lane);
    if (!this.#wasPaused) return lane;
    lane.breaker.resume();
    this.#paused.add(lane);
    return lane;
  }
}

const shift = <T>(line: Set<T>): T | undefined => {
  const [first] = line;
  if (first !== undefined) line.delete(first);
  return first;
};

const place = <T>(line: Set<T>, one: T, isIn: boolean): void => {
  if (isIn) line.add(one);
  else line.delete(one);
};
