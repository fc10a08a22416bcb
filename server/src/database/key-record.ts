import type { Model } from 'mongoose';
import { placeOf, type Secrets } from '../platform/secrets.ts';
import type { MappedCollection } from './collection-data.ts';
import { DatabaseError } from './database-error.ts';
import { duplicateFields } from './duplicate.ts';
import { defineModel } from './model.ts';
import { KEY_RECORD_ID, type KeyRecord } from './recorded-keys.ts';

export type KeyRecordModel = Model<KeyRecord>;

export const keyRecordModel = defineModel<KeyRecord>(
  'SecretKey',
  { _id: String, fingerprints: [String] },
  [],
);

const wrongKey = (own: string, given: string): DatabaseError =>
  new DatabaseError(
    `SECRET_KEY is not the one of this database: its fingerprint is ${given}, and here it has to be ${own}. ` +
      'Set SECRET_KEY to the key with that fingerprint (with an embedded database, it is in DATA_DIR/secret-key); ' +
      'to change keys, set SECRET_KEY_PREVIOUS to that one as well',
  );

const missingKey = (missing: readonly string[], given: string): DatabaseError =>
  new DatabaseError(
    `The keys of this database are being changed: beside SECRET_KEY, whose fingerprint is ${given}, what is sealed in it ` +
      `needs the key with the fingerprint ${missing.join(' or ')}. ` +
      'Set SECRET_KEY_PREVIOUS to it, until "keys rotate" has sealed everything with SECRET_KEY',
  );

type Holder = { _id: string; account?: string } & Record<string, unknown>;

/** A database with sealed fields, and the record of the keys that open them. */
export interface SealedDatabase {
  models: { secretKeys: KeyRecordModel };
  collections: readonly MappedCollection[];
}

/** The collections with sealed fields. */
export const sealedCollections = ({ collections }: SealedDatabase) =>
  collections.flatMap(({ name, model, data }) => {
    const { sealed = [], keyed = [] } = data.fields;
    return sealed.length === 0
      ? []
      : [{ name, model: model as unknown as Model<Holder>, sealed, keyed: new Set<string>(keyed) }];
  });

/** What one sealed value of each kind tells: whether there are any, and whether one of the keys opens one. */
const tryKeys = async (
  database: SealedDatabase,
  secrets: Secrets,
): Promise<'opens' | 'nothing sealed' | 'opens not'> => {
  let isAny = false;
  for (const { model, sealed } of sealedCollections(database)) {
    const found = await model.findOne({}).lean<Holder>();
    for (const field of sealed) {
      const text = found?.[field];
      if (!found || typeof text !== 'string') continue;
      isAny = true;
      // Another kind may tell more: what was imported half is not the database's own.
      if (secrets.opens(text, placeOf(found, field))) return 'opens';
    }
  }
  return isAny ? 'opens not' : 'nothing sealed';
};

/** Whether the keys open all there is. */
const openEverything = async (database: SealedDatabase, secrets: Secrets): Promise<boolean> => {
  for (const { model, sealed } of sealedCollections(database)) {
    const fields = Object.fromEntries(['account', ...sealed].map((field) => [field, 1 as const]));
    for await (const found of model.find({}, fields).lean<Holder>().cursor()) {
      for (const field of sealed) {
        const text = found[field];
        if (typeof text === 'string' && !secrets.opens(text, placeOf(found, field))) return false;
      }
    }
  }
  return true;
};

/**
 * Holds the keys against the record of the database. Where there is none, it is made once a key has opened something
 * that is sealed here, or nothing is: of two servers that start at once with different keys, one makes it.
 * While keys change, a database has several, and one that was not given may have sealed something: it is looked for.
 * @throws DatabaseError when neither SECRET_KEY nor SECRET_KEY_PREVIOUS is the database's, or something opens by neither
 */
export const checkKey = async (database: SealedDatabase, secrets: Secrets): Promise<void> => {
  const { secretKeys } = database.models;
  const { keyFingerprint: current, previousKeyFingerprint: previous } = secrets;
  for (;;) {
    const record = await secretKeys.findOne({ _id: KEY_RECORD_ID }).lean<KeyRecord>();
    if (record) {
      const missing = record.fingerprints.filter((one) => one !== current && one !== previous);
      if (missing.length === record.fingerprints.length)
        throw wrongKey(record.fingerprints.join(' or '), current);
      if (missing.length > 0 && !(await openEverything(database, secrets)))
        throw missingKey(missing, current);
      if (record.fingerprints.includes(current)) return;
      await secretKeys.updateOne({ _id: KEY_RECORD_ID }, { $addToSet: { fingerprints: current } });
      return;
    }
    if ((await tryKeys(database, secrets)) === 'opens not')
      throw wrongKey('another, not recorded yet', current);
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

/** From now on the current key alone opens the database. */
export const keepPresentKeyOnly = async ({ models }: SealedDatabase, secrets: Secrets): Promise<void> => {
  const fingerprints = [secrets.keyFingerprint];
  await models.secretKeys.updateOne({ _id: KEY_RECORD_ID }, { $set: { fingerprints } });
};
