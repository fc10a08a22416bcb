/** Which SECRET_KEYs a database takes. */
export interface KeyRecord {
  _id: 'secret-key';
  /** Of the keys that have sealed something in it; `keys rotate` leaves the current one's alone. */
  fingerprints: string[];
  /** The one of them that `keys rotate` seals everything by now: no command that seals by another begins. */
  rotating_to?: string;
  /** Sealed values that none of the keys had sealed when another one came, by place and hash (sealed-values.ts). */
  damaged?: string[];
  /** How many processes that run jobs have started on the database, and the ids of the latest of these starts. */
  starts?: number;
  started?: string[];
}

/** How many of the starts are known by their ids. */
export const KEPT_STARTS = 20;

export const KEY_RECORD_ID = 'secret-key' as const;

/** The fingerprints of the keys that a database takes; empty when it has no record. */
export const recordedKeys = async (db: {
  collection(name: string): { findOne(filter: object): Promise<unknown> };
}): Promise<string[]> => {
  const record = (await db.collection('secretkeys').findOne({ _id: KEY_RECORD_ID })) as KeyRecord | null;
  return record?.fingerprints ?? [];
};
