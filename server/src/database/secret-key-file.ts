import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFile } from '@parlor/embedded-mongodb';
import type { Config } from '../platform/config.ts';
import { flush } from '../platform/flush.ts';
import { keyFingerprint } from '../platform/secrets.ts';
import { DatabaseError } from './database-error.ts';

/** The file inside of DATA_DIR that holds the key which was made at the first start. */
export const secretKeyFile = (dataDir: string): string => join(dataDir, 'secret-key');

/** What stands in that file; undefined where there is none. @throws DatabaseError where it can't be read */
export const readKept = (dataDir: string): Promise<string | undefined> =>
  readFile(secretKeyFile(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new DatabaseError(`${secretKeyFile(dataDir)} can't be read: ${error.message}`);
  });

/** The file with the embedded database's own key, and which one it is. */
export interface KeptKey {
  file: string;
  fingerprint: string;
}

/** The key in DATA_DIR, to be told of; undefined on a MongoDB, and where there is none that can be read. */
export const keptKey = async ({
  MONGODB_URL,
  DATA_DIR,
}: Pick<Config, 'MONGODB_URL' | 'DATA_DIR'>): Promise<KeptKey | undefined> => {
  const kept = MONGODB_URL === '' ? await readKept(DATA_DIR).catch(() => undefined) : undefined;
  return kept ? { file: secretKeyFile(DATA_DIR), fingerprint: keyFingerprint(kept.trim()) } : undefined;
};

/**
 * The key made at the very first start, in a file that only the owner of DATA_DIR reads. Only the process that holds the
 * database's lock gets here, once it knows that the database is whole; the rename makes the file whole or absent. None is
 * made for a database that needs another one (`needed`, as fingerprints), as when it was restored without its key.
 * @throws Error that says what is wrong with the file, or which key is needed
 */
export const keptSecretKey = async (dataDir: string, needed: readonly string[]): Promise<string> => {
  const file = secretKeyFile(dataDir);
  const kept = await readKept(dataDir);
  if (kept !== undefined) {
    if (kept.trim().length < 32) throw new Error(`${file} is damaged: it holds no key of 32 characters`);
    return kept.trim();
  }
  if (needed.length > 0) {
    const own = `the key whose fingerprint is ${needed.join(' or ')}`;
    throw new Error(`its database needs ${own}: set SECRET_KEY to it, or put it into ${file}`);
  }
  const made = randomBytes(32).toString('hex');
  // Left by a process that was killed, maybe another user's.
  await rm(`${file}.new`, { force: true });
  makeFile(`${file}.new`, made);
  await rename(`${file}.new`, file);
  // Before anything is sealed by it: after a power cut the name could be the old one. Some file systems flush no folders.
  await flush(dataDir).catch(() => undefined);
  return made;
};
