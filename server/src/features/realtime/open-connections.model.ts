import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** How many connections of one address a server process has open. */
export interface OpenConnectionsCount {
  /** `<process> <address>`. */
  _id: string;
  process: string;
  address: string;
  count: number;
  /** Moved on while the process lives, so that what it left behind does not count for ever. */
  expires_at: Date;
}

export type OpenConnectionsModel = Model<OpenConnectionsCount>;

export const openConnectionsModel = defineModel<OpenConnectionsCount>(
  'RealtimeConnections',
  { _id: String, process: String, address: String, count: Number, expires_at: Date },
  [[{ address: 1 }], [{ process: 1 }], [{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);
