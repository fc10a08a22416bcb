import type { Model } from 'mongoose';
import { defineModel } from '../database/model.ts';

/** A deletion of a room that is under way: what has to be taken up again when its process dies. */
export interface PendingDeletion {
  _id: string;
  account: string;
  room: string;
  begun_at: Date;
}

export type PendingDeletionModel = Model<PendingDeletion>;

export const pendingDeletionModel = defineModel<PendingDeletion>(
  'RoomDeletion',
  { _id: String, account: String, room: String, begun_at: Date },
  [[{ begun_at: 1 }]],
);
