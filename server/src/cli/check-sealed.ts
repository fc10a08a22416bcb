import { mapCollections } from '../data-map.ts';
import { openDatabase } from '../database/connect.ts';
import { recordedKeys } from '../database/recorded-keys.ts';
import { nameOf, unopenedValues } from '../database/sealed-values.ts';
import { readKept, secretKeyFile } from '../database/secret-key-file.ts';
import { createModels } from '../models.ts';
import type { Config } from '../platform/config.ts';
import { keyFingerprint, Secrets } from '../platform/secrets.ts';

/** SECRET_KEY, else what stands in the file of the embedded database's key; undefined where neither is here. */
const knownKey = async ({ SECRET_KEY, DATA_DIR }: Config): Promise<string | undefined> =>
  SECRET_KEY || (await readKept(DATA_DIR))?.trim();

/**
 * What is wrong with the sealed values of the embedded database, which nobody has open: those that none of its keys opens, or
 * that the file of its key holds none of them. Nothing where not all of its keys are known here, since another one may open them.
 */
export const checkSealed = async (config: Config, show: (state: string) => void): Promise<string[]> => {
  const key = await knownKey(config);
  if (key === undefined) return [];
  // The listener has no password, and its address may be taken: a check needs none.
  const database = await openDatabase({ ...config, EMBEDDED_MONGODB_LISTEN: '' }, { forCopy: true });
  try {
    const recorded = await recordedKeys(database.connection);
    if (recorded.length === 0) return [];
    if (config.SECRET_KEY === '' && !recorded.includes(keyFingerprint(key)))
      return [
        `${secretKeyFile(config.DATA_DIR)} is not the key of this database, whose fingerprint is ${recorded.join(' or ')}: ` +
          'put that in its place, as from a backup, or set SECRET_KEY to it',
      ];
    const secrets = new Secrets(key, config.SECRET_KEY_PREVIOUS);
    const known = [secrets.keyFingerprint, secrets.previousKeyFingerprint];
    if (!recorded.every((one) => known.includes(one))) return [];
    const collections = mapCollections(createModels(database.connection));
    const errors: string[] = [];
    show('checking what is sealed');
    for await (const value of unopenedValues(collections, secrets))
      errors.push(`${nameOf(value)} is damaged: no key of this database opens it`);
    return errors;
  } finally {
    await database.close();
  }
};
