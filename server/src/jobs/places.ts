import { FairShares } from '../platform/fair-shares.ts';

/** How many attempts of a process may be under way, of all together and of one owner (JobKind). */
export interface PlaceLimits {
  together: number;
  ofOwner: number;
}

/** The places of attempts in the process, whatever the number of origins. Owners that wait for one take turns. */
export class Places {
  readonly #taken: FairShares;
  readonly #together: number;
  readonly #mayBegin: () => boolean;
  /** Who is to be told of a free place, by owner, both in the order of their turns. */
  readonly #waiting = new Map<string, Map<object, () => void>>();

  /** @param mayBegin whether attempts may begin now; `tell` is to be called where they may again */
  constructor({ together, ofOwner }: PlaceLimits, mayBegin: () => boolean = () => true) {
    this.#taken = new FairShares(together, ofOwner);
    this.#together = together;
    this.#mayBegin = mayBegin;
  }

  /** @returns whether there was one */
  take(owner: string): boolean {
    if (!this.#taken.hasRoomFor(owner)) return false;
    this.#taken.take(owner);
    return true;
  }

  leave(owner: string): void {
    this.#taken.leave(owner);
    this.tell();
  }

  /** Tells who waits of the places that are free. */
  tell(): void {
    while (this.#mayBegin() && this.#taken.sum < this.#together) {
      const next = this.#nextOwner();
      if (next === undefined) return;
      this.#tellFirst(next);
    }
  }

  #nextOwner(): string | undefined {
    for (const owner of this.#waiting.keys()) if (this.#taken.hasRoomFor(owner)) return owner;
    return undefined;
  }

  /** Tells once of a place that may be taken. @param who waits once at most */
  wait(owner: string, who: object, tell: () => void): void {
    const line = this.#waiting.get(owner) ?? new Map<object, () => void>();
    line.set(who, tell);
    this.#waiting.set(owner, line);
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
}
