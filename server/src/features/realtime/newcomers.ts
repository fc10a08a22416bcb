/** An account's people who have just come to this process. */
interface Newcomer {
  account: string;
  /** Rooms that the first of them was told of. */
  told: ReadonlySet<string> | undefined;
  /** When they are told of the others (`performance.now()`). */
  dueAt: number;
}

/**
 * Accounts whose people came to this process a moment ago. Other processes may not know it yet, and tell nobody of
 * visitors who come to them: those are told of once more, when every process knows.
 */
export class Newcomers {
  readonly #byAccount = new Map<string, Newcomer>();
  readonly #knownWithinMs: number;

  /** @param knownWithinMs how long others may believe that nobody is there after it was stored that somebody is */
  constructor(knownWithinMs: number) {
    this.#knownWithinMs = knownWithinMs;
  }

  get size(): number {
    return this.#byAccount.size;
  }

  came(account: string): void {
    this.#byAccount.set(account, { account, told: undefined, dueAt: Number.POSITIVE_INFINITY });
  }

  gone(account: string): void {
    this.#byAccount.delete(account);
  }

  /** One of them was told that the visitors of these rooms are there. */
  told(account: string, rooms: readonly string[]): void {
    const newcomer = this.#byAccount.get(account);
    if (newcomer) newcomer.told ??= new Set(rooms);
  }

  /** Whoever asks the database finds them from now on. */
  stored(account: string, now = performance.now()): void {
    const newcomer = this.#byAccount.get(account);
    if (newcomer) newcomer.dueAt = now + this.#knownWithinMs;
  }

  /** Tells of what they may have missed, where it is time for that. @param roomsOf those whose visitor is there now */
  async tellMissed(
    roomsOf: (account: string) => Promise<readonly string[]>,
    tell: (account: string, missed: readonly string[]) => Promise<void>,
    now = performance.now(),
  ): Promise<void> {
    for (const newcomer of [...this.#byAccount.values()]) {
      if (now < newcomer.dueAt) continue;
      const { account, told } = newcomer;
      const missed = (await roomsOf(account)).filter((room) => !told?.has(room));
      if (missed.length > 0) await tell(account, missed);
      if (this.#byAccount.get(account) === newcomer) this.#byAccount.delete(account);
    }
  }
}
