import type { Logger } from 'pino';
import { deleteDocument } from '../database/delete.ts';
import { newUuid } from '../ids.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import type { Tombstones } from '../outbox/tombstones.ts';
import type { PendingDeletion, PendingDeletionModel } from './room-deletion.model.ts';
import type { RoomModel, StoredRoom } from './rooms.model.ts';

/** How many messages go at a time. */
const BATCH = 500;

/**
 * A deletion is gone through once more after so long: a request that had found the room before it went may have
 * stored a message since, and no request takes as long.
 */
const AGAIN_AFTER = 60_000;
const LOOK_EVERY = 20_000;

/**
 * Deletes rooms with their messages (contract 3). That spans many documents, so what is to be done is written
 * down first, and any process takes it up again after a crash; every step can be repeated.
 */
export class RoomDeletion {
  readonly #rooms: RoomModel;
  readonly #messages: MessageModel;
  readonly #pending: PendingDeletionModel;
  readonly #tombstones: Tombstones;
  readonly #log: Logger;
  readonly #forget: (room: string) => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  /** @param forget drops what else is kept of a deleted room; it may be called twice */
  constructor(
    models: { rooms: RoomModel; messages: MessageModel; roomDeletions: PendingDeletionModel },
    tombstones: Tombstones,
    log: Logger,
    forget: (room: string) => Promise<void> = async () => undefined,
  ) {
    this.#rooms = models.rooms;
    this.#messages = models.messages;
    this.#pending = models.roomDeletions;
    this.#tombstones = tombstones;
    this.#log = log;
    this.#forget = forget;
  }

  /**
   * Deletes a room; when this is through, it and its messages are seen no more.
   * @throws ParlorError `not_found`, and whatever `check` throws.
   */
  async delete(
    account: string,
    label: string,
    check?: (current: StoredRoom) => Promise<void>,
  ): Promise<void> {
    const known = await this.#rooms.findOne({ account, label }, { _id: 1 }).lean();
    const pending: PendingDeletion = {
      _id: newUuid(),
      account,
      room: known?._id ?? '',
      begun_at: new Date(),
    };
    if (known) await this.#pending.insertOne(pending);
    try {
      // By uuid, too: another room may have got the label since.
      const filter = { account, label, _id: pending.room };
      await deleteDocument(this.#rooms, filter, this.#tombstones, check);
    } catch (error) {
      await this.#pending.deleteOne({ _id: pending._id });
      throw error;
    }
    await this.#deleteMessages({ room: pending.room });
    await this.#forget(pending.room);
  }

  /** Takes up what was left behind, now and from time to time. */
  start(): void {
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY);
    void this.#look();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Finishes the deletions that began before `now` minus AGAIN_AFTER. */
  async resume(now = new Date()): Promise<void> {
    const before = new Date(now.getTime() - AGAIN_AFTER);
    const due = await this.#pending
      .find({ begun_at: { $lte: before } })
      .sort({ begun_at: 1 })
      .limit(BATCH)
      .lean<PendingDeletion[]>();
    for (const { _id, account, room, begun_at } of due) {
      const current = await this.#rooms.findOne({ _id: room, account }).lean<StoredRoom>();
      // A room that is older than its deletion was never deleted; a younger one was made anew by its visitor,
      // and what was sent before that belongs to the old one.
      if (!current) {
        await this.#deleteMessages({ room });
        await this.#forget(room);
      } else if (current.created_at > begun_at) {
        await this.#deleteMessages({ room, sent_at: { $lt: current.created_at } });
      }
      await this.#pending.deleteOne({ _id });
    }
    await this.#tombstones.clear(now);
  }

  #look(): Promise<void> {
    this.#running ??= this.resume()
      .catch((error) => this.#log.warn({ err: error }, 'deleted rooms wait: taking up the rest failed'))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #deleteMessages(filter: object): Promise<void> {
    for (;;) {
      const batch = await this.#messages
        .find(filter, { events: 1 })
        .sort({ sent_at: -1, _id: -1 })
        .limit(BATCH)
        .lean<StoredMessage[]>();
      if (batch.length === 0) return;
      const announce = await this.#tombstones.bury(batch);
      await this.#messages.deleteMany({ _id: { $in: batch.map(({ _id }) => _id) } });
      announce();
    }
  }
}
