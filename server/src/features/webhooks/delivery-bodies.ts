import { LRUCache } from 'lru-cache';
import { databaseUnavailable } from '../../database/unavailable.ts';
import type { DeliveryModel, StoredDelivery } from './deliveries.model.ts';

type Body = Pick<StoredDelivery, '_id' | 'body'>;

/** Short ones are read ahead, together: up to so many characters each, and so many bytes of all that are not sent yet. */
const SHORT = 4_000;
const MAX_AHEAD_BYTES = 8 * 1_048_576;

/** What an entry takes besides its characters. */
const ENTRY_BYTES = 256;

/** The bodies of deliveries: long ones are in memory only while they are sent. */
export class DeliveryBodies {
  readonly #deliveries: DeliveryModel;
  /** What is sent, or let go of, leaves it; what there is no room for is read when it is sent. */
  readonly #ahead = new LRUCache<string, string>({
    maxSize: MAX_AHEAD_BYTES,
    sizeCalculation: ({ length }) => 2 * length + ENTRY_BYTES,
  });

  constructor(deliveries: DeliveryModel) {
    this.#deliveries = deliveries;
  }

  /** Reads the short ones of deliveries that are to be sent soon; where that fails they are read when they are. */
  async readAhead(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const short = { $regex: `^.{1,${SHORT}}$`, $options: 's' };
    const found = await this.#deliveries.collection
      .find<Body>({ _id: { $in: ids as never[] }, body: short }, { projection: { body: 1 } })
      .toArray()
      .catch((error): Body[] => {
        if (!databaseUnavailable(error)) throw error;
        return [];
      });
    for (const { _id, body } of found) this.#ahead.set(_id, body);
  }

  /** Nobody here sends it any more: its words may be erased. */
  forget(id: string): void {
    this.#ahead.delete(id);
  }

  /** The body of a delivery that waits, for once. @returns undefined where it waits no more */
  async take(id: string): Promise<string | undefined> {
    const ahead = this.#ahead.get(id);
    this.#ahead.delete(id);
    if (ahead !== undefined) return ahead;
    const waiting = { _id: id, state: 'pending' as const };
    const found = await this.#deliveries.findOne(waiting, { body: 1 }).lean<Body>();
    // One that was lost, as by hand, is empty: its receiver refuses it.
    return found ? (found.body ?? '') : undefined;
  }
}
