import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** How many connections of one address a server process has open. */
export interface OpenConnectionsCount {
  /** `<process> <address>`. */
  _id: string;
  /** It counts as long as that process lives. */
  process: string;
  address: string;
  count: number;
}

export type OpenConnectionsModel = Model<OpenConnectionsCount>;

export const openConnectionsModel = defineModel<OpenConnectionsCount>(
  'RealtimeConnections',
  { _id: String, process: String, address: String, count: Number },
  [[{ address: 1 }], [{ process: 1 }]],
);
