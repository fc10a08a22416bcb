import { randomLetters } from '../ids.ts';
import type { Viewer } from './connection.ts';
import type { PresenceModel, StoredPresence } from './presence.model.ts';

/** A process that has died counts no longer than this (milliseconds). */
const LIVES_FOR = 150_000;

/** What one that stops leaves behind counts a little longer: its clients come back to another. */
const STAYS_FOR = 5_000;

const BATCH = 200;

/** Somebody who is there or is not: a visitor in its room, or the account's people, who are one to visitors. */
export type Present = Pick<StoredPresence, 'account' | 'side' | 'room'>;

export const presentOf = (viewer: Viewer): Present => {
  const { account, side } = viewer;
  return side === 'visitor' ? { account, side, room: viewer.room } : { account, side };
};

export const keyOf = ({ account, side, room }: Present): string => `${side} ${room ?? account}`;

/** Who has a connection open, on all server processes. */
export class PresenceStore {
  readonly #model: PresenceModel;
  readonly #process = randomLetters(10);

  constructor(model: PresenceModel) {
    this.#model = model;
  }

  async add(arrived: readonly Present[]): Promise<void> {
    const expires_at = this.#in(LIVES_FOR);
    const writes = arrived.map((present) => ({
      updateOne: {
        filter: { _id: this.#idOf(present) },
        update: { $set: { ...present, process: this.#process, expires_at } },
        upsert: true,
      },
    }));
    await this.#model.bulkWrite(writes as never, { ordered: false });
  }

  async remove(gone: readonly Present[]): Promise<void> {
    await this.#model.deleteMany({ _id: { $in: gone.map((present) => this.#idOf(present)) } });
  }

  /** Whether somebody is there, on whichever process. */
  async has({ account, side, room }: Present): Promise<boolean> {
    const where = room === undefined ? { account, side } : { room };
    const found = await this.#model.find(where).limit(50).lean<StoredPresence[]>();
    return found.some(({ expires_at }) => expires_at > new Date());
  }

  /** Rooms of an account whose visitor is there, so many at most. */
  async rooms(account: string, limit: number): Promise<string[]> {
    const found = await this.#model.find({ account, side: 'visitor' }).limit(limit).lean<StoredPresence[]>();
    const now = new Date();
    return [...new Set(found.flatMap(({ room, expires_at }) => (expires_at > now && room ? room : [])))];
  }

  /** A sign of life of this process. */
  async renew(): Promise<void> {
    await this.#model.updateMany({ process: this.#process }, { $set: { expires_at: this.#in(LIVES_FOR) } });
  }

  /** Removes what processes that died have left behind. @returns what it was; each is given to one caller only */
  async removeExpired(): Promise<Present[]> {
    const found = await this.#model
      .find({ expires_at: { $lte: new Date() } })
      .limit(BATCH)
      .lean<StoredPresence[]>();
    const removed: Present[] = [];
    for (const present of found) {
      const { _id, expires_at, account, side, room } = present;
      const { deletedCount } = await this.#model.deleteOne({ _id, expires_at });
      if (deletedCount === 1) removed.push({ account, side, ...(room !== undefined && { room }) });
    }
    return removed;
  }

  /** This process stops: what it has counts a moment longer, and another one says who did not come back. */
  async leave(): Promise<void> {
    await this.#model.updateMany({ process: this.#process }, { $set: { expires_at: this.#in(STAYS_FOR) } });
  }

  #idOf(present: Present): string {
    return `${this.#process} ${keyOf(present)}`;
  }

  #in(duration: number): Date {
    return new Date(Date.now() + duration);
  }
}
