import type { Job } from './job-kind.ts';

/** Jobs read at once: few at first, since a target that hangs needs no more, and more for a fast one. */
const FIRST_READ = 32;
const LARGEST_READ = 512;

/** Timers can't be set for longer; a queue that is looked at too early is looked at again. */
const LONGEST_TIMER_MS = 3_600_000;

/** The jobs of one queue: a few that are due in memory, the rest in the database. */
export class JobBuffer<J extends Job> {
  readonly queue: string;
  /** Read and due, in order. */
  ready: J[] = [];
  inFlight = 0;
  /** Whether the database may hold more that is due. */
  hasMore = true;
  /** The target is elsewhere now: once nothing is in hand any more, another origin's queue takes over. */
  isLeaving = false;
  readonly #read: (limit: number) => Promise<J[]>;
  readonly #prepare: (jobs: readonly J[]) => Promise<void>;
  readonly #release: (id: string) => void;
  readonly #onDue: () => void;
  #readSize = FIRST_READ;
  #wasFull = false;
  #isReading = false;
  /** Read and not yet recorded: not to be taken again. */
  readonly #inHand = new Set<string>();
  /** Let go of during a read, which may still show them as waiting. */
  #letGo: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  /**
   * @param jobs `read` gives the first jobs of the queue, `prepare` is told of those that are taken of them, and `release` of each that is let go of
   * @param onDue told when something is due that has to be read
   */
  constructor(
    queue: string,
    {
      read,
      prepare = async () => undefined,
      release = () => undefined,
    }: {
      read(limit: number): Promise<J[]>;
      prepare?: ((jobs: readonly J[]) => Promise<void>) | undefined;
      release?: ((id: string) => void) | undefined;
    },
    onDue: () => void,
  ) {
    this.queue = queue;
    this.#read = read;
    this.#prepare = prepare;
    this.#release = release;
    this.#onDue = onDue;
  }

  /** Whether it is time to read on. */
  get isHungry(): boolean {
    return this.hasMore && !this.#isReading && !this.isLeaving && this.ready.length < this.#readSize / 4;
  }

  /** Nothing is in memory, under way or waited for. */
  get isIdle(): boolean {
    if (this.#inHand.size > 0 || this.#isReading) return false;
    return this.isLeaving || (!this.hasMore && this.#timer === undefined);
  }

  /** Takes what is due, and sets the clock for what is not. @param atMost jobs that are not in hand yet */
  async read(atMost = this.#readSize): Promise<void> {
    this.#isReading = true;
    this.hasMore = false;
    // Those in hand are still in the database's queue, at its head.
    const limit = this.#inHand.size + atMost;
    try {
      const found = await this.#read(limit);
      const now = Date.now();
      await this.#prepare(found.filter((job) => !this.#inHand.has(job._id) && dueOf(job) <= now));
      // Everything was sent before more had been read.
      const isFast = this.#wasFull && this.ready.length === 0 && atMost === this.#readSize;
      if (isFast) this.#readSize = Math.min(this.#readSize * 2, LARGEST_READ);
      this.#wasFull = this.#take(found) && found.length === limit;
      this.hasMore ||= this.#wasFull;
    } finally {
      this.#isReading = false;
      for (const id of this.#letGo.splice(0)) this.#inHand.delete(id);
    }
  }

  /** The job has been recorded, or is left to the database again. */
  letGo(id: string): void {
    this.#release(id);
    if (this.#isReading) this.#letGo.push(id);
    else this.#inHand.delete(id);
  }

  /** Leaves what is ready to the database again. */
  putBack(): void {
    if (this.ready.length === 0) return;
    for (const { _id } of this.ready.splice(0)) this.letGo(_id);
    this.#readSize = FIRST_READ;
    this.hasMore = true;
  }

  /** Looks at the queue at a time, in milliseconds since 1970, unless it does so earlier. */
  wakeAt(time: number): void {
    // A timer that should have gone off was set while the clock was behind.
    if (time >= this.#timerAt && this.#timerAt > Date.now()) return;
    clearTimeout(this.#timer);
    this.#timerAt = time;
    const delay = Math.min(Math.max(0, time - Date.now()), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#stopTimer();
      this.#onDue();
    }, delay);
  }

  /** Lets go of what is ready, which others may take over, and ends the timer. */
  close(): void {
    for (const { _id } of this.ready) this.#release(_id);
    this.#stopTimer();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  /** @returns whether all of them are due */
  #take(found: readonly J[]): boolean {
    const now = Date.now();
    for (const job of found) {
      if (this.#inHand.has(job._id)) continue;
      const due = dueOf(job);
      if (due > now) {
        this.wakeAt(due);
        return false;
      }
      this.#inHand.add(job._id);
      this.ready.push(job);
    }
    return true;
  }
}

const dueOf = ({ due_at }: Job): number => due_at?.getTime() ?? 0;
