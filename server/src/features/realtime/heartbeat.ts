import type { Connection } from './connection.ts';

/**
 * Each connection is looked at once in 27 seconds; one that was not heard of for longer than `DEAD_AFTER_MS` then,
 * although it was asked the time before, is cut. So a half-open connection is found within 55 s. In small steps,
 * since asking thousands takes long enough for others to notice.
 */
const STEP_MS = 250;
const STEPS = 108;
const DEAD_AFTER_MS = 40_000;

/** Finds half-open connections, whose client has gone without a word. */
export class Heartbeat {
  /** The connections, by the step of the round in which their turn is. */
  readonly #turns = Array.from({ length: STEPS }, () => new Set<Connection>());
  #next = 0;
  #lastAdded = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#timer = setInterval(() => this.#turn(), STEP_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  add(connection: Connection): void {
    this.#lastAdded = (this.#lastAdded + 1) % STEPS;
    connection.heartbeatTurn = this.#lastAdded;
    this.#turns[this.#lastAdded]?.add(connection);
  }

  remove(connection: Connection): void {
    this.#turns[connection.heartbeatTurn]?.delete(connection);
  }

  #turn(): void {
    const now = performance.now();
    for (const connection of this.#turns[this.#next] ?? []) {
      if (now - connection.heardAt > DEAD_AFTER_MS) connection.cut();
      else connection.ping();
    }
    this.#next = (this.#next + 1) % STEPS;
  }
}
