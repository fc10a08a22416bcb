import { EVER } from '../database/has-come.ts';
import type { Announcement, HolderModel } from './announced.ts';
import type { EventHolder } from './events.ts';

/** How many documents of a collection are read of an account, and how many events are taken of them. */
const BATCH = 200;

/**
 * Accounts of which the relay was told more than it has room for. What is announced of them waits in its documents, and is
 * read from there, the oldest first, so that nothing overtakes it.
 */
export class Backlogs {
  readonly #models: readonly HolderModel[];
  /** What was announced since an account's documents began to be read. */
  readonly #since = new Map<string, Announcement[]>();

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
    if (!this.has(account)) this.#since.set(account, []);
  }

  /** Announcements are the relay's own again. */
  end(account: string): void {
    this.#since.delete(account);
  }

  /** @returns whether these are left to their documents */
  take(account: string, announcements: readonly Announcement[]): boolean {
    const since = this.#since.get(account);
    // More than a read may bring in any case.
    if (since && since.length <= BATCH) since.push(...announcements);
    return since !== undefined;
  }

  /**
   * Reads the oldest events of an account. The backlog is over where these are all, with what was announced meanwhile.
   * @param queue takes them, before anything else is announced
   */
  async next(account: string, queue: (found: readonly Announcement[]) => void): Promise<void> {
    const since: Announcement[] = [];
    this.#since.set(account, since);
    const found: Announcement[] = [];
    let isAll = true;
    for (const model of this.#models) {
      const holders = await model
        .find({ 'events.at': { $gt: EVER }, 'events.account': account }, { events: 1 })
        .sort({ 'events.at': 1 })
        .limit(BATCH)
        .lean<EventHolder[]>();
      for (const { _id, events = [] } of holders) {
        found.push(...events.map((event) => ({ model, holder: _id, event })));
      }
      isAll &&= holders.length < BATCH;
    }
    isAll &&= since.length <= BATCH;
    if (isAll) found.push(...since);
    found.sort((a, b) => Number(a.event.at) - Number(b.event.at));
    queue(isAll ? found : found.slice(0, BATCH));
    if (isAll) this.end(account);
  }
}
