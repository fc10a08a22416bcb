import { hasCome } from '../database/has-come.ts';
import { newUuid } from '../platform/ids.ts';
import { type EventHolder, type OutboxEvent, subjectOf } from './events.ts';
import type { Relay } from './relay.ts';
import type { PendingDeletionEvent, Tombstone, TombstoneModel } from './tombstones.model.ts';

/** A tombstone older than this is in nobody's hands any more: no deletion takes as long. */
const KEPT_EMPTY_MS = 60_000;

/** How many deletions that a crash has interrupted are read at a time. */
const BATCH = 500;

/** Told of an object that was deleted by itself, before its deletion is announced or answered; again after a crash in between. */
type DeletionListener = (deleted: { uuid: string; event: OutboxEvent }) => Promise<void>;

/** What becomes of buried events. */
export interface Burial {
  /** Announces them; to be called when the documents are gone. */
  done(): Promise<void>;
  /** To be called when the document stays after all. */
  cancel(): Promise<void>;
}

/**
 * Keeps the events of documents that are deleted before they are announced (docs/contract.md#events). The events are copied
 * first and the document is deleted then: after a crash in between they are announced twice, under the same ids.
 */
export class Tombstones {
  readonly #model: TombstoneModel;
  readonly #relay: Pick<Relay, 'announce'>;
  readonly #listeners: DeletionListener[] = [];

  constructor(model: TombstoneModel, relay: Pick<Relay, 'announce'>) {
    this.#model = model;
    this.#relay = relay;
  }

  /** Calls `forget` with every object that is deleted by itself: what is kept of it elsewhere goes with it. */
  onDeletion(forget: DeletionListener): void {
    this.#listeners.push(forget);
  }

  /**
   * Copies the events of documents that are about to be deleted, all of one conversation or a single one.
   * @param deletion the event of the deletion itself, which is announced only if the document has gone
   */
  async bury(holders: readonly EventHolder[], deletion?: PendingDeletionEvent): Promise<Burial> {
    // In the order in which they happened: what deletes many documents may read the newest first.
    const events = holders
      .flatMap((holder) => holder.events ?? [])
      .sort((a, b) => Number(a.at) - Number(b.at));
    const [first] = events;
    if (!first && !deletion) return { done: async () => undefined, cancel: async () => undefined };
    const tombstone: Tombstone = {
      _id: newUuid(),
      subject: first ? subjectOf(first) : (deletion?.holder ?? ''),
      made_at: new Date(),
      ...(first && { events }),
      ...(deletion && { deletion }),
    };
    await this.#model.insertOne(tombstone);
    return { done: () => this.#announce(tombstone), cancel: () => this.#cancel(tombstone) };
  }

  /** Whether no event of a deleted conversation waits any more. */
  async areOut(subject: string): Promise<boolean> {
    const waiting = await this.#model.findOne({ subject, events: { $exists: true } }, { _id: 1 }).lean();
    return waiting === null;
  }

  /**
   * Settles the deletions that a crash has interrupted, and removes the tombstones whose events are out.
   * @throws the first error, once all others are settled
   */
  async clear(now = new Date()): Promise<void> {
    const old = hasCome('made_at', new Date(now.getTime() - KEPT_EMPTY_MS));
    const open = this.#model
      .find({ ...old, deletion: { $exists: true } })
      .lean<Tombstone[]>()
      .cursor({ batchSize: BATCH });
    const errors: unknown[] = [];
    for await (const tombstone of open) {
      const settled = async () =>
        (await this.#isThere(tombstone)) ? this.#cancel(tombstone) : this.#announce(tombstone);
      await settled().catch((error) => void errors.push(error));
    }
    await this.#model.deleteMany({ ...old, events: { $exists: false }, deletion: { $exists: false } });
    if (errors.length > 0) throw errors[0];
  }

  async #announce(tombstone: Tombstone): Promise<void> {
    const { _id, deletion } = tombstone;
    const ofDeletion = deletion ? [deletion.event, ...(deletion.more ?? [])] : [];
    const events: OutboxEvent[] = [...(tombstone.events ?? []), ...ofDeletion];
    if (deletion) {
      for (const forget of this.#listeners) await forget({ uuid: deletion.holder, event: deletion.event });
      const happened = { $push: { events: { $each: ofDeletion } }, $unset: { deletion: 1 } } as const;
      await this.#model.updateOne({ _id, deletion: { $exists: true } }, happened as never);
    }
    this.#relay.announce(this.#model, { ...tombstone, events });
  }

  async #cancel({ _id }: Tombstone): Promise<void> {
    await this.#model.updateOne({ _id }, { $unset: { deletion: 1 } });
  }

  async #isThere({ deletion }: Tombstone): Promise<boolean> {
    if (!deletion) return true;
    const { collection, holder, created_at } = deletion;
    const same = { _id: holder as never, created_at };
    return (await this.#model.db.collection(collection).findOne(same, { projection: { _id: 1 } })) !== null;
  }
}
