import { EVER } from '../database/has-come.ts';
import { type Announcement, announcementOf, type HolderModel } from './announced.ts';
import type { EventHolder, OutboxEvent } from './events.ts';
import { Queue } from './queue.ts';

/** How many events are taken of an account at a time, and so of how many documents of a collection at most. */
const BATCH = 200;

/** What is read of a collection, and kept of what is announced meanwhile, takes this much in memory, and one event more. */
const BATCH_BYTES = 256 * 1024;

/** How many events are read of a document, from the head of its array. */
export const OF_A_DOCUMENT = 50;

/** The projection that reads them. */
export const OLDEST = { _id: 1, events: { $slice: OF_A_DOCUMENT } } as const;

/** The batch size of cursors over documents with events. */
export const SENT_TOGETHER = 20;

const isFull = ({ all, bytes }: Queue): boolean => all.length >= BATCH || bytes >= BATCH_BYTES;

/**
 * Accounts of which the relay was told more than it has room for. What is announced of them waits in its documents, and is
 * read from there, the oldest first, so that nothing overtakes it.
 */
export class Backlogs {
  readonly #models: readonly HolderModel[];
  /** What was announced since an account's documents began to be read; undefined where they are not. */
  readonly #since = new Map<string, Queue | undefined>();

  constructor(models: readonly HolderModel[]) {
    this.#models = models;
  }

  get accounts(): string[] {
    return [...this.#since.keys()];
  }

  has(account: string): boolean {
    return this.#since.has(account);
  }

  begin(account: string): void {
    if (!this.has(account)) this.#since.set(account, undefined);
  }

  /** Announcements are the relay's own again. */
  end(account: string): void {
    this.#since.delete(account);
  }

  /** @returns whether these are left to their documents */
  take(account: string, announcements: readonly Announcement[]): boolean {
    const since = this.#since.get(account);
    // Once it is full, what is read is not all in any case.
    if (since && !isFull(since)) since.push(...announcements);
    return this.has(account);
  }

  /**
   * Reads the oldest events of an account. The backlog is over where these are all, with what was announced meanwhile.
   * @param queue takes them, before anything else is announced
   */
  async next(account: string, queue: (found: readonly Announcement[]) => void): Promise<void> {
    const since = new Queue();
    this.#since.set(account, since);
    const found: Announcement[] = [];
    let until = Number.POSITIVE_INFINITY;
    for (const model of this.#models) {
      const oldest = await oldestOf(model, account);
      found.push(...oldest.all);
      until = Math.min(until, oldest.until);
    }
    const isAll = until === Number.POSITIVE_INFINITY && !isFull(since);
    if (isAll) found.push(...since.all);
    found.sort((a, b) => Number(a.event.at) - Number(b.event.at));
    queue(isAll ? found : firstUntil(until, found));
    if (isAll) this.end(account);
    else if (this.has(account)) this.#since.set(account, undefined);
  }
}

/**
 * Those that nothing unread came before. Where the events of a document are in no order, as of an older version, that may be none
 * of them: the oldest one goes on.
 */
const firstUntil = (until: number, found: readonly Announcement[]): readonly Announcement[] => {
  const end = found.findIndex(({ event }) => Number(event.at) > until);
  return found.slice(0, Math.min(end === -1 ? BATCH : Math.max(end, 1), BATCH));
};

/** The oldest events of an account in a collection, and the time up to which they are all of it. */
const oldestOf = async (
  model: HolderModel,
  account: string,
): Promise<{ all: readonly Announcement[]; until: number }> => {
  const batch = new Queue();
  let until = Number.POSITIVE_INFINITY;
  // The driver's own cursor: one of mongoose stays open where it is not read to its end.
  const holders = model.collection.find<EventHolder>(
    { 'events.at': { $gt: EVER }, 'events.account': account },
    { projection: OLDEST, sort: { 'events.at': 1 }, batchSize: SENT_TOGETHER },
  );
  for await (const { _id, events = [] } of holders) {
    // Others come no earlier than the first of this one, and its own no earlier than the last that was read.
    if (isFull(batch)) return { all: batch.all, until: Math.min(until, earliest(events)) };
    if (events.length >= OF_A_DOCUMENT) until = Math.min(until, latest(events));
    batch.push(...events.map((event) => announcementOf(model, _id, event)));
  }
  return { all: batch.all, until };
};

const earliest = (events: readonly OutboxEvent[]): number => Math.min(...events.map(({ at }) => Number(at)));
const latest = (events: readonly OutboxEvent[]): number => Math.max(...events.map(({ at }) => Number(at)));
