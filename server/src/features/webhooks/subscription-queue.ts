import type { DeliveryModel, StoredDelivery } from './deliveries.model.ts';

/** What is read of a delivery in order to send it. */
export type QueuedDelivery = Pick<
  StoredDelivery,
  '_id' | 'event_id' | 'event' | 'webhook' | 'body' | 'tries' | 'due_at' | 'sequence'
>;

/** A place in a queue: everything up to it has been read. */
export type Place = Pick<QueuedDelivery, 'due_at' | 'sequence'>;

/** At most `limit` deliveries of a subscription's queue in the database, in order, from its head or after `place`. */
export const readQueue = (
  deliveries: DeliveryModel,
  webhook: string,
  limit: number,
  place?: Place,
): Promise<QueuedDelivery[]> =>
  deliveries
    .find(
      {
        queue: webhook,
        ...(place && {
          due_at: { $gte: place.due_at },
          // Inside the index range only those that are due in the same millisecond are told apart.
          $or: [{ due_at: { $gt: place.due_at } }, { sequence: { $gt: place.sequence } }],
        }),
      } as object,
      { event_id: 1, event: 1, webhook: 1, body: 1, tries: 1, due_at: 1, sequence: 1 },
    )
    .sort({ due_at: 1, sequence: 1 })
    .limit(limit)
    .lean<QueuedDelivery[]>()
    .exec();

/**
 * How many deliveries are read at once: few at first, since a target that hangs needs no more, and more for one
 * that is faster than the database.
 */
const FIRST_READ = 32;
const LARGEST_READ = 512;

/** Timers can't be set for longer; a queue that is looked at too early is looked at again. */
const LONGEST_TIMER = 3_600_000;

/** The deliveries that wait for one subscription: a few of them in memory, the rest in the database. */
export class SubscriptionQueue {
  readonly webhook: string;
  /** Read and due, in order. */
  ready: QueuedDelivery[] = [];
  /** How many requests are under way. */
  inFlight = 0;
  /** Whether the database may hold more that is due. */
  hasMore = false;
  readSize = FIRST_READ;
  /** Up to where it has been read; undefined: it is read from its head. */
  place: Place | undefined;
  /** When the first one that is not in hand is or was due, as far as it is known. */
  headAt: number | undefined;
  /** The subscription's target is elsewhere now: once nothing is in hand any more, another owner takes over. */
  isLeaving = false;
  /** Read and not yet recorded: not to be taken again. */
  readonly #inHand = new Set<string>();
  /** Recorded while the queue was being read: what was read may still show them as waiting. */
  #recorded: string[] = [];
  #isReading = false;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(webhook: string) {
    this.webhook = webhook;
  }

  get inHand(): number {
    return this.#inHand.size;
  }

  /** Few are left that have been read: it is time to read on. */
  get isLow(): boolean {
    return this.ready.length < this.readSize / 2;
  }

  /** Everything was sent before more had been read. */
  readFurther(): void {
    this.readSize = Math.min(this.readSize * 2, LARGEST_READ);
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  /** Nothing is in memory, under way or waited for. */
  get isIdle(): boolean {
    return this.#inHand.size === 0 && !this.hasMore && !this.#isReading && this.#timer === undefined;
  }

  beginReading(): void {
    this.#isReading = true;
  }

  endReading(): void {
    this.#isReading = false;
    for (const id of this.#recorded) this.#inHand.delete(id);
    this.#recorded = [];
  }

  has(id: string): boolean {
    return this.#inHand.has(id);
  }

  take(delivery: QueuedDelivery): void {
    this.#inHand.add(delivery._id);
  }

  /** It has been recorded, or is left to the database again. */
  letGo(id: string): void {
    if (this.#isReading) this.#recorded.push(id);
    else this.#inHand.delete(id);
  }

  /** Leaves what is ready to the database again. */
  putBack(): void {
    const [first] = this.ready;
    if (!first) return;
    this.headAt = Math.min(this.headAt ?? Number.POSITIVE_INFINITY, first.due_at?.getTime() ?? 0);
    for (const { _id } of this.ready) this.letGo(_id);
    this.ready = [];
    this.place = undefined;
    this.readSize = FIRST_READ;
    this.hasMore = true;
  }

  /** Calls `due` at `time` (milliseconds since 1970), or earlier when that was asked for before. */
  wakeAt(time: number, due: () => void): void {
    if (this.#isClosed || time >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = time;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#timerAt = Number.POSITIVE_INFINITY;
        due();
      },
      Math.min(Math.max(0, time - Date.now()), LONGEST_TIMER),
    );
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
