import { Note } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../../database/document.ts';
import { defineModel } from '../../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../../events/events.ts';
import type { AsWritten } from '../../members/avatars/current-avatars.ts';

export interface StoredNote extends Stored<AsWritten<Note>>, EventHolder {
  account: string;
  room: string;
  /** Its room's; empty where that has none. */
  widget: string;
  /** The member who wrote it, also where a program of it did. */
  member: string;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

export type NoteModel = Model<StoredNote>;

/** A collection that no route of visitors reads. */
export const noteModel = defineModel<StoredNote>(
  'Note',
  {
    ...storedFields(Note, ['mentions']),
    mentions: [String],
    account: String,
    room: String,
    widget: String,
    member: String,
    version: Number,
    ...outboxFields,
  },
  [[{ account: 1, created_at: -1, _id: -1 }], [{ room: 1, created_at: -1, _id: -1 }], outboxIndex],
);
