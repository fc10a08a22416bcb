import { Draft } from '@parlor/shared';
import type { Model } from 'mongoose';
import { storedFields } from '../../../database/document.ts';
import { defineModel } from '../../../database/model.ts';

/** What a member has written in a conversation and not sent yet. */
export interface StoredDraft {
  /** The room and the member. */
  _id: string;
  account: string;
  room: string;
  member: string;
  /** Never empty. */
  body: string;
  is_note: boolean;
  updated_at: Date;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

export type DraftModel = Model<StoredDraft>;

export const draftModel = defineModel<StoredDraft>(
  'Draft',
  { _id: String, ...storedFields(Draft), account: String, room: String, member: String, version: Number },
  [[{ account: 1 }], [{ room: 1 }], [{ member: 1 }]],
);
