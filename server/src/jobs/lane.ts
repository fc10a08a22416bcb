import { CircuitBreaker } from './circuit-breaker.ts';
import type { JobBuffer } from './job-buffer.ts';
import type { Job, OriginLimits } from './job-kind.ts';

/** Reads at a time of an origin, and of a lane; more queues wait for their turn. */
export const READS = 4;

/** The queues of one owner that go to an origin. Their failures pause them alone. */
export class Lane<J extends Job> {
  /** Whose queues they are, as JobKind has it. */
  readonly owner: string;
  readonly breaker: CircuitBreaker;
  readonly buffers = new Set<JobBuffer<J>>();
  /** Those with something ready and a free place, and those to be read, each in the order of their turns. */
  readonly runnable = new Set<JobBuffer<J>>();
  readonly hungry = new Set<JobBuffer<J>>();
  inFlight = 0;
  reads = 0;
  readonly #perOrigin: number;

  /** @param onHalfOpen told when a probe may begin */
  constructor(owner: string, limits: OriginLimits, onHalfOpen: (lane: Lane<J>) => void) {
    this.owner = owner;
    this.#perOrigin = limits.perOrigin;
    this.breaker = new CircuitBreaker(limits, () => onHalfOpen(this));
  }

  /** Whether something may begin, were there a place: as ordinarily, or as the probe of a pause. */
  get offers(): 'job' | 'probe' | undefined {
    if (this.runnable.size === 0 || !this.breaker.admits(this.inFlight)) return undefined;
    return this.breaker.state === 'closed' ? 'job' : 'probe';
  }

  /** Whether more is to be ready than is. For a probe one job is enough. */
  get hasRoom(): boolean {
    const { state } = this.breaker;
    return state !== 'open' && this.runnable.size < (state === 'closed' ? this.#perOrigin : 1);
  }

  /** Whether a queue is to be read. */
  get isHungry(): boolean {
    const reads = this.breaker.state === 'closed' ? READS : 1;
    return this.hungry.size > 0 && this.reads < reads && this.hasRoom;
  }

  /** Puts a queue where it stands now. */
  sort(buffer: JobBuffer<J>, perQueue: number): void {
    if (buffer.ready.length > 0 && buffer.inFlight < perQueue) this.runnable.add(buffer);
    else this.runnable.delete(buffer);
    if (buffer.isHungry) this.hungry.add(buffer);
    else this.hungry.delete(buffer);
  }

  /** Leaves a queue out. */
  delete(buffer: JobBuffer<J>): void {
    for (const set of [this.buffers, this.runnable, this.hungry]) set.delete(buffer);
  }
}
