import type { Model } from 'mongoose';
import { isSealedText, placeOf, type Secrets } from '../platform/secrets.ts';
import type { MappedCollection } from './collection-data.ts';
import { DatabaseError } from './database-error.ts';
import { duplicateFields } from './duplicate.ts';
import { defineModel } from './model.ts';
import { KEY_RECORD_ID, type KeyRecord } from './recorded-keys.ts';
import {
  type Holder,
  markOf,
  nameOf,
  type SealedValue,
  sealedCollections,
  unopenedValues,
} from './sealed-values.ts';
import type { KeptKey } from './secret-key-file.ts';

export type KeyRecordModel = Model<KeyRecord>;

export const keyRecordModel = defineModel<KeyRecord>(
  'SecretKey',
  {
    _id: String,
    fingerprints: [String],
    rotating_to: String,
    damaged: { type: [String], default: undefined },
    starts: Number,
    started: { type: [String], default: undefined },
  },
  [],
);

const wrongKey = (own: readonly string[], given: string, kept: KeptKey | undefined): DatabaseError => {
  const needed = own.length > 0 ? own.join(' or ') : 'another, not recorded yet';
  // After a change of keys by the environment it holds the one before.
  const isIn = kept && own.includes(kept.fingerprint) ? `it is in ${kept.file}` : undefined;
  const isNotIn = kept && own.length > 0 ? `${kept.file} holds another, ${kept.fingerprint}` : undefined;
  const where = isIn ?? isNotIn;
  return new DatabaseError(
    `SECRET_KEY is not the one of this database: its fingerprint is ${given}, and here it has to be ${needed}. ` +
      `Set SECRET_KEY to the key with that fingerprint${where ? ` (${where})` : ''}; ` +
      'to change keys, set SECRET_KEY_PREVIOUS to that one as well',
  );
};

const missingKey = (value: SealedValue, missing: readonly string[], given: string): DatabaseError =>
  new DatabaseError(
    `The keys of this database are being changed: beside SECRET_KEY, whose fingerprint is ${given}, what is sealed in it ` +
      `(${nameOf(value)}) needs the key with the fingerprint ${missing.join(' or ')}. ` +
      'Set SECRET_KEY_PREVIOUS to it, until "keys rotate" has sealed everything with SECRET_KEY',
  );

/** Damaged values that a record knows; the others of a database with more may be taken for ones of a key that is missing. */
const MAX_DAMAGED = 100;

/** A database with sealed fields, and the record of the keys that open them. */
export interface SealedDatabase {
  models: { secretKeys: KeyRecordModel };
  collections: readonly MappedCollection[];
}

/** What one sealed value of each kind tells: whether there are any, and whether one of the keys opens one. */
const tryKeys = async (
  database: SealedDatabase,
  secrets: Secrets,
): Promise<'opens' | 'nothing sealed' | 'opens not'> => {
  let isAny = false;
  for (const { model, sealed } of sealedCollections(database.collections)) {
    const found = await model.findOne({}).lean<Holder>();
    for (const field of sealed) {
      const text = found?.[field];
      if (!found || !isSealedText(text)) continue;
      isAny = true;
      // Another kind may tell more: what was imported half is not the database's own.
      if (secrets.opens(text, placeOf(found, field))) return 'opens';
    }
  }
  return isAny ? 'opens not' : 'nothing sealed';
};

/** Whether a key that is not given may have sealed a value, by what the record knows. */
const mayBeSealed = (value: SealedValue, { damaged = [] }: Pick<KeyRecord, 'damaged'>): boolean =>
  isSealedText(value.text) && !damaged.includes(markOf(value));

/** The fingerprints that are not among the keys that are given. */
const missingOf = (
  { fingerprints }: Pick<KeyRecord, 'fingerprints'>,
  { keyFingerprint, previousKeyFingerprint }: Secrets,
): string[] => fingerprints.filter((one) => one !== keyFingerprint && one !== previousKeyFingerprint);

/** The keys of the database that are not given and may have sealed what opens by none of the others, by fingerprint. */
export const foreignKeys = async (
  { models }: SealedDatabase,
  secrets: Secrets,
  value: SealedValue,
): Promise<string[]> => {
  const record = await models.secretKeys.findOne({ _id: KEY_RECORD_ID }).lean<KeyRecord>();
  return record && mayBeSealed(value, record) ? missingOf(record, secrets) : [];
};

/** The first value that needs a key which is not given. */
const needingKey = async (
  database: SealedDatabase,
  secrets: Secrets,
  record: KeyRecord,
): Promise<SealedValue | undefined> => {
  for await (const value of unopenedValues(database.collections, secrets)) {
    if (mayBeSealed(value, record)) return value;
  }
  return undefined;
};

/** What no key of the database opens, before another one may seal. */
const damagedValues = async (database: SealedDatabase, secrets: Secrets): Promise<string[]> => {
  const damaged: string[] = [];
  for await (const value of unopenedValues(database.collections, secrets)) {
    if (damaged.length === MAX_DAMAGED) break;
    if (isSealedText(value.text)) damaged.push(markOf(value));
  }
  return damaged;
};

/**
 * Holds the keys against the record of the database. Where there is none, it is made once a key has opened something
 * that is sealed here, or nothing is: of two servers that start at once with different keys, one makes it.
 * While keys change, a database has several, and one that was not given may have sealed something: it is looked for.
 * @param kept where the embedded database's own key is, for whoever has to find the right one
 * @throws DatabaseError when neither SECRET_KEY nor SECRET_KEY_PREVIOUS is the database's, or a third key may have sealed
 *   something that opens by neither
 */
export const checkKey = async (database: SealedDatabase, secrets: Secrets, kept?: KeptKey): Promise<void> => {
  const { secretKeys } = database.models;
  const { keyFingerprint: current, previousKeyFingerprint: previous } = secrets;
  for (;;) {
    const record = await secretKeys.findOne({ _id: KEY_RECORD_ID }).lean<KeyRecord>();
    if (record) {
      const missing = missingOf(record, secrets);
      if (missing.length === record.fingerprints.length) throw wrongKey(record.fingerprints, current, kept);
      const needing = missing.length > 0 ? await needingKey(database, secrets, record) : undefined;
      if (needing) throw missingKey(needing, missing, current);
      if (record.fingerprints.includes(current)) return;
      // What is damaged by now was sealed by none of the keys that come, and does not make them needed.
      const damaged = missing.length > 0 ? [] : await damagedValues(database, secrets);
      const { fingerprints } = record;
      const { matchedCount } = await secretKeys.updateOne(
        { _id: KEY_RECORD_ID, fingerprints },
        {
          $push: { fingerprints: current },
          ...(damaged.length > 0 && { $addToSet: { damaged: { $each: damaged } } }),
        },
      );
      // A server with yet another key may have sealed something meanwhile.
      if (matchedCount === 0) continue;
      return;
    }
    if ((await tryKeys(database, secrets)) === 'opens not') throw wrongKey([], current, kept);
    const fingerprints = previous === undefined ? [current] : [current, previous];
    try {
      await secretKeys.insertOne({ _id: KEY_RECORD_ID, fingerprints });
      return;
    } catch (error) {
      // Another server was quicker: its record decides.
      if (!duplicateFields(error)) throw error;
    }
  }
};

/** Writes down that everything is sealed by the current key from now on: whoever begins to seal looks for it. */
export const beginRotation = async ({ models }: SealedDatabase, secrets: Secrets): Promise<void> => {
  await models.secretKeys.updateOne(
    { _id: KEY_RECORD_ID },
    { $set: { rotating_to: secrets.keyFingerprint } },
  );
};

export const endRotation = async ({ models }: SealedDatabase): Promise<void> => {
  await models.secretKeys.updateOne({ _id: KEY_RECORD_ID }, { $unset: { rotating_to: 1 } });
};

/** From now on the current key alone opens the database. @throws DatabaseError where another rotation has ended this one */
export const keepPresentKeyOnly = async ({ models }: SealedDatabase, secrets: Secrets): Promise<void> => {
  const { keyFingerprint } = secrets;
  const { matchedCount } = await models.secretKeys.updateOne(
    { _id: KEY_RECORD_ID, rotating_to: keyFingerprint },
    { $set: { fingerprints: [keyFingerprint] }, $unset: { rotating_to: 1, damaged: 1 } },
  );
  if (matchedCount === 0)
    throw new DatabaseError('another "keys rotate" ran at the same time: give it again');
};
