/**
 * Rooms of which a message was left to the search for unanswered ones, since there was no room for it. Until that has brought
 * all of them no other one is taken, or it would be answered before.
 */
export class LeftRooms {
  /** With the number of the last message that was left. */
  readonly #rooms = new Map<string, number>();
  #left = 0;

  has(room: string): boolean {
    return this.#rooms.has(room);
  }

  add(room: string): void {
    this.#rooms.set(room, ++this.#left);
  }

  /** Forgets those of which nothing waits any more. @param waitingOf of which of these rooms something does */
  async forget(waitingOf: (rooms: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    if (this.#rooms.size === 0) return;
    const before = [...this.#rooms];
    const waiting = new Set(await waitingOf(before.map(([room]) => room)));
    for (const [room, last] of before) {
      // Another one may have been left meanwhile.
      if (!waiting.has(room) && this.#rooms.get(room) === last) this.#rooms.delete(room);
    }
  }
}
