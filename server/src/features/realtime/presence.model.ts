import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** That one side has a connection open to one server process. */
export interface StoredPresence {
  /** `<process> <side> <room, or account for a person>`. */
  _id: string;
  /** Where: it counts as long as that process lives. */
  process: string;
  account: string;
  side: 'visitor' | 'person';
  /** A visitor's. */
  room?: string;
}

/** A server process with clients: one document to renew, however many they are. */
export interface PresenceProcess {
  _id: string;
  /** Moved on while it lives. No TTL: what it has left behind is told first. */
  expires_at: Date;
}

export type PresenceModel = Model<StoredPresence>;
export type PresenceProcessModel = Model<PresenceProcess>;

export const presenceModel = defineModel<StoredPresence>(
  'Presence',
  { _id: String, process: String, account: String, side: String, room: String },
  [[{ account: 1, side: 1 }], [{ room: 1 }, { sparse: true }], [{ process: 1 }]],
);

export const presenceProcessModel = defineModel<PresenceProcess>(
  'PresenceProcess',
  { _id: String, expires_at: Date },
  [[{ expires_at: 1 }]],
);
