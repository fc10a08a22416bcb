import { Sighting } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../database/document.ts';
import { defineModel } from '../../database/model.ts';

/** How long a site is remembered after its last page was seen, in seconds (docs/limits.md). */
export const KEPT_FOR_S = 90 * 86_400;

export interface StoredSighting extends Stored<Sighting> {
  account: string;
}

export type SightingModel = Model<StoredSighting>;

export const sightingModel = defineModel<StoredSighting>(
  'Sighting',
  { ...storedFields(Sighting), account: String },
  [
    [{ account: 1, first_seen_at: -1, _id: -1 }],
    [{ widget: 1, first_seen_at: -1, _id: -1 }],
    [{ last_seen_at: 1 }, { expireAfterSeconds: KEPT_FOR_S }],
  ],
);
