import type { Logger } from 'pino';
import { v5 } from 'uuid';
import { hasCome, isPast, latestDue } from '../../database/has-come.ts';
import type { Action } from '../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../events/audited-collection.ts';
import { newEvent, type OutboxEvent } from '../../events/events.ts';
import type { Tombstones } from '../../events/tombstones.ts';
import { isRefusal, notFound } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import type { LeadModel } from '../leads/leads.model.ts';
import type { RoomModel, StoredRoom } from '../rooms/rooms.model.ts';
import { wholeRoomTurns } from '../rooms/whole-rooms.ts';
import type { PendingDeletion, PendingDeletionModel } from './room-deletion.model.ts';
import type { SubjectErasure } from './subject-erasure.ts';

/** How many deletions are read at a time. */
const BATCH = 500;

/**
 * A deletion is gone through once more after this time: a request that had found the room before it went may have
 * stored a message since, and no request takes as long.
 */
const AGAIN_AFTER_MS = 60_000;
const SWEEP_EVERY_MS = 20_000;

/** How long who deletes something waits for its words to leave the search index; what is left then goes with the second round. */
const WITHIN_MS = 2_000;

/** What has gone, and of which more is to be erased. */
type Removed = PendingDeletion & { removed_at: Date };

/** Told of a room that was deleted, once what was said in it is erased. Its visitor may have begun anew there meanwhile. */
type DeletionListener = (room: Pick<StoredRoom, '_id' | 'account'>) => unknown;

/**
 * Deletes rooms and leads with all that is kept of them. That spans many documents, so what is to be done is written down
 * first, and any process takes it up again after a crash; every step can be repeated.
 */
export class RoomDeletion {
  readonly #rooms: RoomModel;
  readonly #audited: AuditedCollection<StoredRoom>;
  readonly #leads: LeadModel;
  readonly #pending: PendingDeletionModel;
  readonly #tombstones: Tombstones;
  readonly #erasure: Pick<SubjectErasure, 'erase' | 'isOut'>;
  readonly #log: Logger;
  readonly #sweeper: Sweeper;
  readonly #listeners: DeletionListener[] = [];

  constructor(
    models: { rooms: RoomModel; leads: LeadModel; roomDeletions: PendingDeletionModel },
    outbox: Outbox,
    erasure: Pick<SubjectErasure, 'erase' | 'isOut'>,
    log: Logger,
  ) {
    this.#rooms = models.rooms;
    this.#audited = new AuditedCollection(models.rooms, outbox, {
      kind: 'room',
      // What it is called may name a visitor.
      label: () => '',
      fields: {},
    });
    this.#leads = models.leads;
    this.#pending = models.roomDeletions;
    this.#tombstones = outbox.tombstones;
    this.#erasure = erasure;
    this.#log = log;
    this.#sweeper = new Sweeper({
      sweep: () => this.resume(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'deleted rooms wait: taking up the rest failed',
    });
  }

  /** Calls `listener` with each room that was deleted; again where a later step has erased more of it. */
  onDelete(listener: DeletionListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Deletes a room, which members are told on the live channel; when this is through, nothing that was said in it is seen any
   * more.
   * @param gone nobody waits for it any more: it is not begun then
   * @throws ParlorError `not_found`, `throttled` when too many of the account wait, and whatever `check` throws; the reason of
   *   `gone`
   */
  async delete(
    account: string,
    label: string,
    check?: (current: StoredRoom) => Promise<void>,
    action?: Action,
    gone?: AbortSignal,
  ): Promise<void> {
    const known = await this.#rooms.findOne({ account, label }, { _id: 1 }).lean();
    if (!known) throw notFound();
    // By uuid, too: another room may have got the label since.
    const filter = { account, label, _id: known._id };
    const remove = () => this.#audited.delete(filter, action, check, deletedEvent);
    const removeInTurn = async (): Promise<Removed> => {
      await action?.stillAllowed?.();
      return this.#remove({ account, room: known._id }, remove);
    };
    await this.#follow(await wholeRoomTurns.run(account, removeInTurn, gone));
    await this.#tell({ _id: known._id, account });
  }

  /** Deletes a lead by `remove`, and then what else is kept of it. @throws whatever `remove` throws */
  async deleteLead(account: string, lead: string, remove: () => Promise<unknown>): Promise<void> {
    await this.#follow(await this.#remove({ account, room: lead, is_lead: true }, remove));
  }

  /** Whether a lead was deleted within the last minute, or is being. */
  async isDeleting(account: string, lead: string): Promise<boolean> {
    return (await this.#pending.exists({ account, room: lead, is_lead: true })) !== null;
  }

  /** Takes up what was left behind, now and from time to time. */
  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  /** Finishes the deletions that began before `now` minus AGAIN_AFTER_MS. */
  async resume(now = new Date()): Promise<void> {
    const before = new Date(now.getTime() - AGAIN_AFTER_MS);
    const due = this.#pending
      .find(hasCome('begun_at', before))
      .sort({ begun_at: 1 })
      .lean<PendingDeletion[]>()
      .cursor({ batchSize: BATCH });
    for await (const pending of due) {
      const { account, room, removed_at } = pending;
      if (removed_at && !isPast(removed_at, before)) continue;
      // One that can't be gone through now keeps no other back.
      await this.#goOn(pending).catch((error) =>
        this.#log.error({ err: error, account, room }, 'a deletion waits to be finished'),
      );
    }
    await this.#tombstones.clear(now);
  }

  async #goOn({ _id, account, room, is_lead, begun_at }: PendingDeletion): Promise<void> {
    const wasOut = await this.#erasure.isOut(room);
    const model = (is_lead ? this.#leads : this.#rooms) as unknown as RoomModel;
    const looked = new Date();
    const current = await model.findOne({ _id: room, account }, { created_at: 1 }).lean();
    // A room that is older than its deletion, or from before the clock was put back, was never deleted; a younger one was
    // made anew by its visitor, and what was sent before that belongs to the old one.
    if (!current) await this.#erasure.erase(room, { before: looked });
    else if (current.created_at > begun_at && current.created_at <= latestDue(0)) {
      await this.#erasure.erase(room, { before: current.created_at, isAnew: true });
      if (!is_lead) await this.#tell({ _id: room, account });
    }
    // What is announced only now makes deliveries that are to be erased as well: it is gone through again.
    if (wasOut && (await this.#erasure.isOut(room))) await this.#pending.deleteOne({ _id });
  }

  /** Writes down what is removed, and removes it. @throws whatever `remove` throws */
  async #remove(
    what: Omit<PendingDeletion, '_id' | 'begun_at' | 'removed_at'>,
    remove: () => Promise<unknown>,
  ): Promise<Removed> {
    const pending = { _id: newUuid(), ...what, begun_at: new Date() };
    await this.#pending.insertOne(pending);
    try {
      await remove();
    } catch (error) {
      // Whether it was done all the same, `resume` finds out.
      if (isRefusal(error)) await this.#pending.deleteOne({ _id: pending._id });
      throw error;
    }
    return { ...pending, removed_at: new Date() };
  }

  /** Erases what else is kept of it. */
  async #follow({ _id, ...removed }: Removed): Promise<void> {
    // A removal that took long may have been taken for one that never was: then its second round is still to come.
    await this.#pending.updateOne({ _id }, { $set: removed }, { upsert: true });
    // From now on its visitor may begin anew there.
    await this.#erasure.erase(removed.room, { before: new Date(), deadline: performance.now() + WITHIN_MS });
  }

  async #tell(room: Parameters<DeletionListener>[0]): Promise<void> {
    for (const listener of this.#listeners) await listener(room);
  }
}

/** Says nothing of the visitor. Its id derives from the room: two who try to delete it at once tell of it once. */
const deletedEvent = ({ _id, account, widget, created_at }: StoredRoom): OutboxEvent => ({
  ...newEvent('room.deleted', account, new Date(), { uuid: _id }, { room: _id, widget }),
  id: v5(`room.deleted ${created_at.getTime()}`, _id),
});
