import { copyFile, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkDataDir, type DataDirCheck } from '@parlor/embedded-mongodb';
import { embeddedDirectory, secretKeyFile } from './connect.ts';

/** The backup can't be made; the text is one clear line. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** What to back up: where it is, how to copy the open database, and whether the key that was made belongs to it. */
export interface BackupSource {
  dataDir: string;
  copyTo(directory: string): Promise<void>;
  hasKeyFile: boolean;
}

const isThere = (path: string): Promise<boolean> => lstat(path).then(Boolean, () => false);

/** Writes a file or folder down for good. */
const flush = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

/**
 * Makes a copy of an embedded database that is in use, with its key, in a new folder that can be a DATA_DIR, and
 * verifies it. The folder has its name only when all of it is there, so that an interruption leaves none that looks
 * whole.
 * @throws BackupError when the folder is there already, or the copy is not good
 */
export const backUp = async (
  { dataDir, copyTo, hasKeyFile }: BackupSource,
  target: string,
  show: (state: string) => void,
): Promise<DataDirCheck> => {
  if (await isThere(target)) throw new BackupError(`${target} is there already: name a folder that is not`);
  const partial = `${target}.partial`;
  if (await isThere(partial)) {
    throw new BackupError(`${partial} is there, of a backup that runs or was interrupted: remove it first`);
  }
  try {
    await mkdir(embeddedDirectory(partial), { recursive: true, mode: 0o700 });
    show('copying');
    const database = embeddedDirectory(partial);
    await copyTo(database);
    if (hasKeyFile) await copyFile(secretKeyFile(dataDir), secretKeyFile(partial));
    const check = await checkDataDir(database, (ns, documents) =>
      show(`checking ${ns}: ${documents} documents`),
    );
    if (check.errors.length > 0) throw new BackupError(`the copy is not good: ${check.errors[0]}`);
    // Whoever opens it makes a lock of its own.
    await rm(join(database, 'lock.mdb'), { force: true });
    const files = [join(database, 'data.mdb'), ...(hasKeyFile ? [secretKeyFile(partial)] : [])];
    for (const path of [...files, database, partial]) await flush(path);
    await rename(partial, target);
    await flush(dirname(target));
    return check;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error instanceof BackupError
      ? error
      : new BackupError(`no backup was made: ${(error as Error).message}`);
  }
};
