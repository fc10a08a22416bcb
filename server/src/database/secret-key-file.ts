import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFile } from '@parlor/embedded-mongodb';

/** The file inside of DATA_DIR that holds the key which was made at the first start. */
export const secretKeyFile = (dataDir: string): string => join(dataDir, 'secret-key');

/**
 * The key made at the very first start, in a file that only the owner of DATA_DIR reads. Only the process that holds the
 * database's lock gets here, once it knows that the database is whole; the rename makes the file whole or absent. None is
 * made for a database that needs another one (`needed`, as fingerprints), as when it was restored without its key.
 * @throws Error that says what is wrong with the file, or which key is needed
 */
export const keptSecretKey = async (dataDir: string, needed: readonly string[]): Promise<string> => {
  const file = secretKeyFile(dataDir);
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
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
  makeFile(`${file}.new`, made, dataDir);
  await rename(`${file}.new`, file);
  return made;
};
