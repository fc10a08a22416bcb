import type { OutItem, Queue } from './queue.ts';
import { Refusal } from './request.ts';

/** Why the queue stands still just now; empty while it does not. */
export type Waiting = '' | 'offline' | 'limited' | 'down';

export interface OutboxOptions {
  queue: Queue;
  /** Sends one item; throws a `Refusal`. */
  deliver(item: OutItem): Promise<OutItem['sent']>;
  /** Whether the device has a network: where it has one, it is the server that does not answer. */
  isOnline(): boolean;
  /** Runs a task while no other tab of this visitor runs one. */
  withLock(task: () => Promise<void>): Promise<void>;
  /** Told after each change of an item or of the queue's state. */
  changed(waiting: Waiting, item?: OutItem): void;
}

export interface Outbox {
  /** Tries now, instead of waiting for the end of a pause (but of one that the server asked for). */
  flush(): void;
  stop(): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** What the server asks for goes by clocks, which may be wrong; and no timer takes more than 24 days. */
const LONGEST_WAIT_MS = 3_600_000;

/** The pause after `tries` failures in a row: doubling, and spread so that a thousand browsers do not come
 *  back in the same instant. `random` is 0..1. */
export function pauseAfter(tries: number, random: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.8 + 0.4 * random);
}

/**
 * Empties the queue: its items go out one after another, oldest first, with their id as idempotency key.
 */
export function createOutbox({ queue, deliver, isOnline, withLock, changed }: OutboxOptions): Outbox {
  let tries = 0;
  let running = false;
  let stopped = false;
  /** By `performance.now()`: the clock may be put back meanwhile. */
  let notBefore = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const next = () => queue.items().find((item) => !item.sent && !item.refused);

  async function run(): Promise<void> {
    clearTimeout(timer);
    if (running || stopped || !next()) return;
    const early = notBefore - performance.now();
    if (early > 0) {
      timer = setTimeout(run, early);
      return;
    }
    running = true;
    let pause = 0;
    let done: string | undefined;
    await withLock(async () => {
      // The queue is read afresh for each item: another tab may have sent or added some.
      for (let item = next(); item && item.id !== done && !stopped; item = next()) {
        try {
          item.sent = await deliver(item);
        } catch (error) {
          if (stopped) return;
          const refusal = error instanceof Refusal ? error : new Refusal(0);
          if (refusal.passing) {
            // A 409 is the server's own doing: it is there, and soon done with what it had begun.
            if (refusal.status === 409) tries = 0;
            const wait = Math.min(refusal.wait, LONGEST_WAIT_MS);
            pause = Math.max(wait, pauseAfter(tries++, Math.random()));
            notBefore = performance.now() + wait;
            changed(refusal.status === 429 ? 'limited' : isOnline() ? 'down' : 'offline');
            return;
          }
          item.refused = { reason: refusal.message, fields: refusal.fields };
        }
        done = item.id;
        queue.note(item);
        changed('', item);
        if (next()?.id !== done) tries = 0;
      }
    }).catch(() => {});
    running = false;
    if (stopped) return;
    const left = next();
    // Nothing was done, or what was done could not be written down: to go on at once would be to go on for ever.
    if (left && (!done || left.id === done)) pause ||= pauseAfter(tries++, Math.random());
    if (pause) timer = setTimeout(run, pause);
    else run();
  }

  return {
    flush: run,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
