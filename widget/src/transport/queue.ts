import { newIdempotencyKey } from '@parlor/shared/idempotency-key';
import type { Store } from '../platform/storage.ts';

/** One thing that the visitor said or wants, and the server must get. */
export interface OutItem {
  id: string;
  /** `person`: the visitor wants a person instead of the bot. */
  kind: 'message' | 'lead' | 'person';
  /** When it was written, ms; later than all that waited then, so it orders. */
  at: number;
  data: Record<string, string>;
  /** A lead that the visitor entered in the form; without it, it is what the page told. */
  byForm?: boolean;
  /** The server's acknowledgement, once there is one. */
  sent?: { uuid: string; sent_at: string };
  /** Why the server refused it for good. */
  refused?: { reason: string; fields: Record<string, string> };
}

const PREFIX = 'out.';

export type Queue = ReturnType<typeof createQueue>;

/**
 * What the visitor said, kept until the server has acknowledged it. Each item is its own key in the store, so
 * tabs never overwrite each other's. Who empties it is the outbox, which comes when something has been said.
 */
export function createQueue(store: Store) {
  /** All that is kept, oldest first. */
  const items = () =>
    store
      .keys(PREFIX)
      .map((key) => store.get<OutItem>(key))
      .filter((item) => !!item)
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return {
    items,
    add(kind: OutItem['kind'], data: OutItem['data'], byForm?: boolean): OutItem {
      // Behind all that waits, wherever the clock was then.
      const at = Math.max(Date.now(), (items().at(-1)?.at ?? 0) + 1);
      const item = { id: newIdempotencyKey(at), kind, at, data, ...(byForm && { byForm }) };
      store.set(PREFIX + item.id, item);
      return item;
    },
    /** Writes down what became of an item, unless it has been taken back meanwhile (delete-my-data). */
    note(item: OutItem): void {
      if (store.get(PREFIX + item.id)) store.set(PREFIX + item.id, item);
    },
    remove: (id: string) => store.remove(PREFIX + id),
  };
}
