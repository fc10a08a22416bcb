import { type Model, Schema } from 'mongoose';
import { defineModel } from '../database/model.ts';
import { type EventHolder, type OutboxEvent, outboxFields, outboxIndex } from './events.ts';

/** The event of a deletion, which has happened once the document is gone. */
export interface PendingDeletionEvent {
  collection: string;
  holder: string;
  /** A room may be made anew under the same id. */
  created_at: Date;
  event: OutboxEvent;
  /** Events beside that one; a process of an older version leaves them out when it settles the deletion. */
  more?: readonly OutboxEvent[];
}

/** The events of a document that was deleted before they were announced. */
export interface Tombstone extends EventHolder {
  /** By what their words are erased: those of one tombstone belong together. */
  subject: string;
  made_at: Date;
  deletion?: PendingDeletionEvent;
}

export type TombstoneModel = Model<Tombstone>;

export const tombstoneModel = defineModel<Tombstone>(
  'Tombstone',
  {
    _id: String,
    subject: String,
    made_at: Date,
    deletion: { type: Schema.Types.Mixed, default: undefined },
    ...outboxFields,
  },
  [[{ made_at: 1 }], [{ subject: 1 }], outboxIndex],
);
