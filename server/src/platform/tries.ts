/** Far more writers than ever change one document at once; some seconds of trying. */
const MAX_TRIES = 1_000;

/**
 * Counts the tries of a compare-and-set. One whose condition can never hold is a defect: it ends with an error then, and
 * does not hold its request, its lease and the database for ever.
 */
export class Tries {
  readonly #what: string;
  #count = 0;

  /** @param what is tried, for the log */
  constructor(what: string) {
    this.#what = what;
  }

  /** To be called before each try. @throws Error when there were too many */
  next(): void {
    if (++this.#count > MAX_TRIES) throw new Error(`${this.#what} did not get through in ${MAX_TRIES} tries`);
  }
}
