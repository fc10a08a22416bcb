import { hasCome } from '../../database/has-come.ts';
import { randomLetters } from '../../platform/ids.ts';
import type { Viewer } from './connection.ts';
import type { PresenceModel, PresenceProcessModel, StoredPresence } from './presence.model.ts';

/** A process that has died counts no longer than this (milliseconds). */
const LIVES_FOR_MS = 150_000;

/** What one that stops leaves behind counts a little longer: its clients come back to another. */
const STAYS_FOR_MS = 5_000;

/** How many one command adds, removes or looks for: others have their turn in between. */
const BATCH = 50;

/** Somebody who is there or is not: a visitor in its room, or the account's people, who are one to visitors. */
export type Attendee = Pick<StoredPresence, 'account' | 'side' | 'room'>;

export const attendeeOf = (viewer: Viewer): Attendee => {
  const { account, side } = viewer;
  return side === 'visitor' ? { account, side, room: viewer.room } : { account, side };
};

export const keyOf = ({ account, side, room }: Attendee): string => `${side} ${room ?? account}`;

const batches = function* <T>(all: readonly T[]): Iterable<T[]> {
  for (let from = 0; from < all.length; from += BATCH) yield all.slice(from, from + BATCH);
};

/** Who has a connection open, on all server processes. */
export class PresenceStore {
  readonly #presences: PresenceModel;
  readonly #processes: PresenceProcessModel;
  #process = randomLetters(10);
  #isKnown = false;

  constructor(presences: PresenceModel, processes: PresenceProcessModel) {
    this.#presences = presences;
    this.#processes = processes;
  }

  async add(arrived: readonly Attendee[]): Promise<void> {
    await this.#introduce();
    for (const batch of batches(arrived)) {
      const writes = batch.map((attendee) => ({
        replaceOne: {
          filter: { _id: this.#idOf(attendee) },
          replacement: { process: this.#process, ...attendee },
          upsert: true,
        },
      }));
      // Past mongoose: thousands may arrive at once, and casting would be most of what they cost.
      await this.#presences.collection.bulkWrite(writes as never, { ordered: false });
    }
  }

  async remove(gone: readonly Attendee[]): Promise<void> {
    for (const batch of batches(gone)) {
      await this.#presences.deleteMany({ _id: { $in: batch.map((attendee) => this.#idOf(attendee)) } });
    }
  }

  /** Whether one of the account's people is there, on whichever process. */
  async hasMember(account: string): Promise<boolean> {
    return (await this.#alive({ account, side: 'person' }, BATCH)).length > 0;
  }

  /** Those of some rooms whose visitor is there, on whichever process. */
  async visited(rooms: readonly string[]): Promise<Set<string>> {
    const there = new Set<string>();
    for (const batch of batches(rooms)) {
      for (const { room } of await this.#alive({ room: { $in: batch } })) if (room) there.add(room);
    }
    return there;
  }

  /** Rooms of an account whose visitor is there, `limit` at most. */
  async rooms(account: string, limit: number): Promise<string[]> {
    const found = await this.#alive({ account, side: 'visitor' }, limit);
    return [...new Set(found.flatMap(({ room }) => room ?? []))];
  }

  /**
   * A sign of life of this process.
   * @returns false when it comes too late: others have taken this process for dead, and what it had has to be added
   * again
   */
  async renew(): Promise<boolean> {
    const { matchedCount } = await this.#processes.updateOne(
      { _id: this.#process, expires_at: { $gt: new Date() } },
      { $set: { expires_at: this.#in(LIVES_FOR_MS) } },
    );
    if (matchedCount === 1 || !this.#isKnown) return true;
    const late = this.#process;
    this.#process = randomLetters(10);
    this.#isKnown = false;
    await this.#presences.deleteMany({ process: late });
    return false;
  }

  /**
   * Removes some of what a process that died has left behind.
   * @returns what it was; each is given to one caller only. Empty when there is no more.
   */
  async removeLeft(): Promise<Attendee[]> {
    for (const { _id: process, expires_at } of await this.#dead()) {
      const found = await this.#presences.find({ process }).limit(BATCH).lean<StoredPresence[]>();
      if (found.length === 0) await this.#processes.deleteOne({ _id: process, expires_at });
      const removed: Attendee[] = [];
      for (const { _id, account, side, room } of found) {
        const { deletedCount } = await this.#presences.deleteOne({ _id });
        if (deletedCount === 1) removed.push({ account, side, ...(room !== undefined && { room }) });
      }
      if (removed.length > 0) return removed;
    }
    return [];
  }

  /** This process stops: what it has counts a moment longer, and another one says who did not come back. */
  async leave(): Promise<void> {
    await this.#processes.updateOne({ _id: this.#process }, { $set: { expires_at: this.#in(STAYS_FOR_MS) } });
  }

  /** Before a process is known nothing that it adds counts. */
  async #introduce(): Promise<void> {
    if (this.#isKnown) return;
    const expires_at = this.#in(LIVES_FOR_MS);
    await this.#processes.updateOne({ _id: this.#process }, { $set: { expires_at } }, { upsert: true });
    this.#isKnown = true;
  }

  #dead() {
    return this.#processes.find(hasCome('expires_at', new Date(), LIVES_FOR_MS)).lean();
  }

  /** Presences on processes that live. */
  async #alive(where: object, limit = 0): Promise<StoredPresence[]> {
    // Before the limit: a server that was killed may have left more than that.
    const alive = await this.#processes.find({ expires_at: { $gt: new Date() } }, { _id: 1 }).lean();
    const process = { $in: alive.map(({ _id }) => _id) };
    return this.#presences
      .find({ ...where, process })
      .limit(limit)
      .lean<StoredPresence[]>();
  }

  #idOf(attendee: Attendee): string {
    return `${this.#process} ${keyOf(attendee)}`;
  }

  #in(duration: number): Date {
    return new Date(Date.now() + duration);
  }
}
