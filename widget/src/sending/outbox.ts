import { Refusal } from './request.ts';
import type { Store } from './storage.ts';

/** One thing that the visitor said and the server must get. */
export interface OutItem {
  id: string;
  kind: 'message' | 'lead';
  /** When it was written, ms; never the same twice in one tab, so it orders. */
  at: number;
  data: Record<string, string>;
  /** The server's acknowledgement, once there is one. */
  sent?: { uuid: string; sent_at: string };
  /** Why the server refused it for good. */
  refused?: { reason: string; fields: Record<string, string> };
}

/** Why the queue stands still just now; empty while it does not. */
export type Waiting = '' | 'offline' | 'limited' | 'down';

export interface OutboxOptions {
  store: Store;
  /** Sends one item; throws a `Refusal`. */
  deliver(item: OutItem): Promise<OutItem['sent']>;
  /** Runs a task while no other tab of this visitor runs one. */
  alone(task: () => Promise<void>): Promise<void>;
  /** Told after each change of an item or of the queue's state. */
  changed(waiting: Waiting, item?: OutItem): void;
}

export interface Outbox {
  add(kind: OutItem['kind'], data: Record<string, string>): OutItem;
  /** All that is kept, oldest first. */
  items(): OutItem[];
  remove(id: string): void;
  /** Tries now, instead of waiting for the end of a pause (but of one that the server asked for). */
  kick(): void;
  stop(): void;
}

const PREFIX = 'out.';
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** The pause after `tries` failures in a row: doubling, and spread so that a thousand browsers do not come
 *  back in the same instant. `random` is 0..1. */
export function pauseAfter(tries: number, random: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.8 + 0.4 * random);
}

/**
 * The queue of what the visitor sent. Each item is its own key in the store, so tabs never overwrite each
 * other's; items go out one after another, oldest first, with their id as idempotency key.
 */
export function createOutbox({ store, deliver, alone, changed }: OutboxOptions): Outbox {
  let last = 0;
  let tries = 0;
  let running = false;
  let stopped = false;
  let notBefore = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const items = () =>
    store
      .keys(PREFIX)
      .map((key) => store.get<OutItem>(key))
      .filter((item) => !!item)
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const next = () => items().find((item) => !item.sent && !item.refused);

  async function run(): Promise<void> {
    clearTimeout(timer);
    if (running || stopped || !next()) return;
    if (notBefore > Date.now()) {
      timer = setTimeout(run, notBefore - Date.now());
      return;
    }
    running = true;
    let pause = 0;
    await alone(async () => {
      // The queue is read afresh for each item: another tab may have sent or added some.
      for (let item = next(); item && !pause && !stopped; item = next()) {
        try {
          item.sent = await deliver(item);
          tries = 0;
        } catch (error) {
          if (stopped) return;
          const refusal = error instanceof Refusal ? error : new Refusal(0);
          if (refusal.passing) {
            pause = Math.max(refusal.wait, pauseAfter(tries++, Math.random()));
            notBefore = refusal.wait && Date.now() + refusal.wait;
            changed(refusal.status === 429 ? 'limited' : refusal.status ? 'down' : 'offline');
            return;
          }
          item.refused = { reason: refusal.message, fields: refusal.fields };
        }
        // It may have been taken back meanwhile (delete-my-data): then it stays away.
        if (store.get(PREFIX + item.id)) store.set(PREFIX + item.id, item);
        changed('', item);
      }
    });
    running = false;
    if (stopped) return;
    if (pause) timer = setTimeout(run, pause);
    else run();
  }

  return {
    items,
    add(kind, data) {
      last = Math.max(Date.now(), last + 1);
      const item: OutItem = { id: newId(), kind, at: last, data };
      store.set(PREFIX + item.id, item);
      run();
      return item;
    },
    remove: (id) => store.remove(PREFIX + id),
    kick: run,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** 32 hex digits. `crypto.randomUUID` exists in secure contexts only, and a customer's page may be plain http. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    (byte + 256).toString(16).slice(1),
  ).join('');
}
