import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** A deletion of a room or lead that is under way: what has to be taken up again when its process dies. */
export interface PendingDeletion {
  _id: string;
  account: string;
  room: string;
  /** `room` is a lead's uuid. */
  is_lead?: true;
  begun_at: Date;
  /** When it was gone; absent before, and in those of an older version. */
  removed_at?: Date;
}

export type PendingDeletionModel = Model<PendingDeletion>;

export const pendingDeletionModel = defineModel<PendingDeletion>(
  'RoomDeletion',
  {
    _id: String,
    account: String,
    room: String,
    is_lead: { type: Boolean, default: undefined },
    begun_at: Date,
    removed_at: Date,
  },
  [[{ begun_at: 1 }], [{ account: 1, room: 1 }]],
);
