import { newUuid } from '../platform/ids.ts';
import { type EventHolder, subjectOf } from './events.ts';
import type { Relay } from './relay.ts';
import type { Tombstone, TombstoneModel } from './tombstones.model.ts';

/** An empty tombstone this old is in nobody's hands any more. */
const KEPT_EMPTY = 60_000;

/**
 * Keeps the events of documents that are deleted before their events are out (docs/contract.md#events: an
 * event of an object that is deleted the next instant is still delivered). The events are copied first and
 * the document is deleted then, so that a crash in between announces them twice under the same ids, which
 * changes nothing, and never not at all.
 */
export class Tombstones {
  readonly #model: TombstoneModel;
  readonly #relay: Pick<Relay, 'announce'>;

  constructor(model: TombstoneModel, relay: Pick<Relay, 'announce'>) {
    this.#model = model;
    this.#relay = relay;
  }

  /**
   * Copies the events of documents that are about to be deleted, all of one conversation or a single one.
   * @returns what announces them; to be called when the documents are gone.
   */
  async bury(holders: readonly EventHolder[]): Promise<() => void> {
    const events = holders.flatMap((holder) => holder.events ?? []);
    const [first] = events;
    if (!first) return () => undefined;
    const tombstone: Tombstone = { _id: newUuid(), subject: subjectOf(first), made_at: new Date(), events };
    await this.#model.insertOne(tombstone);
    return () => this.#relay.announce(this.#model, tombstone);
  }

  /** Whether no event of a deleted conversation waits any more. */
  async areOut(subject: string): Promise<boolean> {
    const waiting = await this.#model.findOne({ subject, events: { $exists: true } }, { _id: 1 }).lean();
    return waiting === null;
  }

  /** Removes the tombstones whose events are out. */
  async clear(now = new Date()): Promise<void> {
    const before = new Date(now.getTime() - KEPT_EMPTY);
    await this.#model.deleteMany({ made_at: { $lte: before }, events: { $exists: false } });
  }
}
