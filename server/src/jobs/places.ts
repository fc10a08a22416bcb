/** How many attempts of a process may be under way, of all together and of one owner (JobKind). */
export interface PlaceLimits {
  together: number;
  ofOwner: number;
}

/** The places of attempts in the process, whatever the number of origins. Owners that wait for one take turns. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #mayBegin: () => boolean;
  readonly #taken = new Map<string, number>();
  /** Who is to be told of a free place, by owner, both in the order of their turns. */
  readonly #waiting = new Map<string, Map<object, () => void>>();
  #sum = 0;

  /** @param mayBegin whether attempts may begin now; `tell` is to be called where they may again */
  constructor(limits: PlaceLimits, mayBegin: () => boolean = () => true) {
    this.#limits = limits;
    this.#mayBegin = mayBegin;
  }

  /** @returns whether there was one */
  take(owner: string): boolean {
    if (!this.#hasOne(owner)) return false;
    this.#count(owner, 1);
    return true;
  }

  leave(owner: string): void {
    this.#count(owner, -1);
    this.tell();
  }

  /** Tells who waits of the places that are free. */
  tell(): void {
    while (this.#mayBegin() && this.#sum < this.#limits.together) {
      const next = this.#nextOwner();
      if (next === undefined) return;
      this.#tellFirst(next);
    }
  }

  #nextOwner(): string | undefined {
    for (const owner of this.#waiting.keys()) if (this.#hasOne(owner)) return owner;
    return undefined;
  }

  /** Tells once of a place that may be taken. @param who waits once at most */
  wait(owner: string, who: object, tell: () => void): void {
    const line = this.#waiting.get(owner) ?? new Map<object, () => void>();
    line.set(who, tell);
    this.#waiting.set(owner, line);
  }

  #hasOne(owner: string): boolean {
    // No more than are left to all, so that some are left whatever the number of owners that hold theirs for long.
    const most = Math.min(this.#limits.ofOwner, this.#limits.together - this.#sum);
    return (this.#taken.get(owner) ?? 0) < most;
  }

  #tellFirst(owner: string): void {
    const line = this.#waiting.get(owner);
    const [first] = line ?? [];
    this.#waiting.delete(owner);
    if (!line || !first) return;
    const [who, tell] = first;
    line.delete(who);
    if (line.size > 0) this.#waiting.set(owner, line);
    tell();
  }

  #count(owner: string, by: 1 | -1): void {
    this.#sum += by;
    const own = (this.#taken.get(owner) ?? 0) + by;
    if (own > 0) this.#taken.set(owner, own);
    else this.#taken.delete(owner);
  }
}
