import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** An account of which an import has begun to store something, until all of it is there or none. */
export interface UnfinishedImport {
  /** The account's uuid. */
  _id: string;
  /** Another one for each import that is begun. */
  run: string;
  /** When it last stored something; the beginning of all times where it ended without the rest. */
  seen_at: Date;
}

export type UnfinishedImportModel = Model<UnfinishedImport>;

export const unfinishedImportModel = defineModel<UnfinishedImport>(
  'UnfinishedImport',
  { _id: String, run: String, seen_at: Date },
  [[{ seen_at: 1 }]],
);
