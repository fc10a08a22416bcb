import type { Model } from 'mongoose';
import { defineModel } from '../database/model.ts';

/** That one side has a connection open to one server process. */
export interface StoredPresence {
  /** `<process> <side> <room, or account for a person>`. */
  _id: string;
  process: string;
  account: string;
  side: 'visitor' | 'person';
  /** A visitor's. */
  room?: string;
  /** Moved on while the process lives. No TTL: whoever removes it says so. */
  expires_at: Date;
}

export type PresenceModel = Model<StoredPresence>;

export const presenceModel = defineModel<StoredPresence>(
  'Presence',
  { _id: String, process: String, account: String, side: String, room: String, expires_at: Date },
  [[{ account: 1, side: 1 }], [{ room: 1 }, { sparse: true }], [{ process: 1 }], [{ expires_at: 1 }]],
);
