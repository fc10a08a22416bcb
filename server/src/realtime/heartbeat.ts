import type { Connection } from './connection.ts';

/**
 * Each connection is looked at once in so many seconds; one that was not heard of for longer than `DEAD_AFTER`
 * then, although it was asked the time before, is cut. So a half-open connection is found within 55 s.
 */
const ROUND = 27;
const DEAD_AFTER = 40_000;

/** Finds half-open connections, whose client has gone without a word. */
export class Heartbeat {
  /** The connections, by the second of the round in which their turn is, so that the work is spread evenly. */
  readonly #turns = Array.from({ length: ROUND }, () => new Set<Connection>());
  #next = 0;
  #lastAdded = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#timer = setInterval(() => this.#turn(), 1_000);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  add(connection: Connection): void {
    this.#lastAdded = (this.#lastAdded + 1) % ROUND;
    this.#turns[this.#lastAdded]?.add(connection);
  }

  remove(connection: Connection): void {
    for (const turn of this.#turns) if (turn.delete(connection)) return;
  }

  #turn(): void {
    const now = performance.now();
    for (const connection of this.#turns[this.#next] ?? []) {
      if (now - connection.heardAt > DEAD_AFTER) connection.cut();
      else connection.ping();
    }
    this.#next = (this.#next + 1) % ROUND;
  }
}
