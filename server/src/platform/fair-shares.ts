/**
 * Counts what several hold of something that has a limit. Nobody takes more than is left to all, so that some is left whatever
 * the number of those that hold theirs for long.
 */
export class FairShares {
  readonly #limit: number;
  readonly #limitOfOne: number;
  readonly #held = new Map<string, number>();
  #sum = 0;

  constructor(limit: number, limitOfOne = limit) {
    this.#limit = limit;
    this.#limitOfOne = limitOfOne;
  }

  /** What all hold together. */
  get sum(): number {
    return this.#sum;
  }

  /** Who holds something, and may take no more now. */
  get full(): string[] {
    return [...this.#held.keys()].filter((who) => !this.hasRoomFor(who));
  }

  hasRoomFor(who: string): boolean {
    return (this.#held.get(who) ?? 0) < Math.min(this.#limitOfOne, this.#limit - this.#sum);
  }

  take(who: string): void {
    this.#sum++;
    this.#held.set(who, (this.#held.get(who) ?? 0) + 1);
  }

  leave(who: string): void {
    this.#sum--;
    const left = (this.#held.get(who) ?? 0) - 1;
    if (left > 0) this.#held.set(who, left);
    else this.#held.delete(who);
  }
}
