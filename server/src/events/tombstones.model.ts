import type { Model } from 'mongoose';
import { defineModel } from '../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from './events.ts';

/** The events of a document that was deleted before they were announced. */
export interface Tombstone extends EventHolder {
  /** By what their words are erased: those of one tombstone belong together. */
  subject: string;
  made_at: Date;
}

export type TombstoneModel = Model<Tombstone>;

export const tombstoneModel = defineModel<Tombstone>(
  'Tombstone',
  { _id: String, subject: String, made_at: Date, ...outboxFields },
  [[{ made_at: 1 }], [{ subject: 1 }], outboxIndex],
);
