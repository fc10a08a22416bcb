/**
 * The claims and releases of origins that are under way, of each origin one at a time. A claim that finds another owner
 * tells it of its own queues only: those that come meanwhile wait for the next one, all together.
 */
export class Claims<Owned> {
  readonly #begin: (origin: string, queues: readonly string[]) => Promise<Owned | undefined>;
  readonly #underWay = new Map<string, Promise<Owned | undefined>>();
  readonly #next = new Map<string, { queues: Set<string>; claim: Promise<Owned | undefined> }>();

  /** @param begin claims an origin; it gives nothing where another process owns it, which then knows of the queues */
  constructor(begin: (origin: string, queues: readonly string[]) => Promise<Owned | undefined>) {
    this.#begin = begin;
  }

  get underWay(): Iterable<Promise<unknown>> {
    return this.#underWay.values();
  }

  /** Claims an origin for a queue. @returns nothing where another process owns it, which then knows of the queue */
  claim(origin: string, queue: string): Promise<Owned | undefined> {
    const next = this.#next.get(origin);
    if (next) {
      next.queues.add(queue);
      return next.claim;
    }
    const before = this.#underWay.get(origin);
    if (!before) return this.alone(origin, this.#begin(origin, [queue]));
    const queues = new Set([queue]);
    const claim = this.#after(before, origin, queues);
    this.#next.set(origin, { queues, claim });
    return claim;
  }

  /** Lets claims of an origin wait for this work. */
  alone(origin: string, work: Promise<Owned | undefined>): Promise<Owned | undefined> {
    const done = work.finally(() => this.#underWay.delete(origin));
    this.#underWay.set(origin, done);
    return done;
  }

  async #after(
    before: Promise<Owned | undefined>,
    origin: string,
    queues: ReadonlySet<string>,
  ): Promise<Owned | undefined> {
    let owned: Owned | undefined;
    try {
      owned = await before;
    } finally {
      // At once before the next one begins, so that no other begins beside it.
      this.#next.delete(origin);
    }
    return owned ?? this.alone(origin, this.#begin(origin, [...queues]));
  }
}
