import { lstat, mkdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import {
  checkDataDir,
  type DataDirCheck,
  type EmbeddedMongodb,
  FILES_OF_AN_OPENING,
  makeDirectory,
  makeFile,
} from '@parlor/embedded-mongodb';
import { flush } from '../platform/flush.ts';
import { embeddedDirectory } from './connect.ts';
import { DatabaseError } from './database-error.ts';
import { secretKeyFile } from './secret-key-file.ts';

/** The folder is not one for a backup; the text is one clear line. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** What to back up: where it is, and how to copy the open database. */
export interface BackupSource {
  dataDir: string;
  copyTo: EmbeddedMongodb['copyTo'];
  /** The key that goes along; undefined where SECRET_KEY is set, and kept elsewhere. */
  madeKey: string | undefined;
  /** The fingerprints of the keys that the database of a DATA_DIR takes, which nobody has open. */
  keysOf: (dataDir: string) => Promise<string[]>;
  /** So much of the database's own disk is left: with less nothing would be stored any more. */
  reserveBytes: number;
}

/** What was backed up, and the fingerprints of the keys that it needs. */
export type Backup = DataDirCheck & { fingerprints: string[] };

const isThere = (path: string): Promise<boolean> => lstat(path).then(Boolean, () => false);

/** Makes the folder that is filled, for this call alone: of two at once one gets it. @throws BackupError */
const claim = async (partial: string): Promise<void> => {
  const inWay = await mkdir(partial, { mode: 0o700 }).then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return true;
      throw error;
    },
  );
  if (inWay) {
    throw new BackupError(`${partial} is there, of a backup that runs or was interrupted: remove it first`);
  }
};

/** The folder in which a path is or will be, in its one spelling, past all links. */
const realFolder = async (path: string): Promise<string> => {
  const folder = dirname(path);
  return realpath(folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return join(await realFolder(folder), basename(folder));
  });
};

/** @throws BackupError for a place that is lost with the database itself, and that its files fill */
const requireOutside = async (target: string, database: string): Promise<void> => {
  const own = await realpath(database);
  const folder = await realFolder(target);
  if (folder === own || folder.startsWith(own + sep))
    throw new BackupError(`${target} is inside of the database's own folder: name one elsewhere`);
};

/** Whether two folders are on one disk. */
const isSameDisk = async (a: string, b: string): Promise<boolean> =>
  (await stat(a)).dev === (await stat(b)).dev;

/** This process's user; in a container it may have no name. */
const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `number ${process.geteuid?.()}`;
  }
};

/** @throws BackupError, or DatabaseError for whatever else kept the backup from being made */
const told = (error: unknown): never => {
  if (error instanceof BackupError) throw error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  // Whoever gives the command is often another one, who may.
  const who = ['EACCES', 'EPERM'].includes(code)
    ? `; it is written by the user ${userName()}, as whom the server runs where there is one: name a folder that this user can make`
    : '';
  throw new DatabaseError(`no backup was made: ${message}${who}`);
};

/**
 * Makes a copy of an embedded database that is in use, with its key, in a new folder that can be a DATA_DIR, and
 * verifies it. The folder has its name only when all of it is there, so that an interruption leaves none that looks
 * whole.
 * @throws BackupError when the folder is there already; DatabaseError when it can't be made, or the copy is not good, or
 * `signal` ends it, which leaves nothing
 */
export const backUp = async (
  source: BackupSource,
  target: string,
  show: (state: string) => void,
  signal?: AbortSignal,
): Promise<Backup> => {
  const partial = `${target}.partial`;
  try {
    if (await isThere(target)) throw new BackupError(`${target} is there already: name a folder that is not`);
    await requireOutside(target, embeddedDirectory(source.dataDir));
    makeDirectory(dirname(partial));
    await claim(partial);
  } catch (error) {
    return told(error);
  }
  try {
    const backup = await fill(partial, source, show, signal);
    // Writing a large one down takes long, too.
    signal?.throwIfAborted();
    await rename(partial, target);
    await flush(dirname(target));
    return backup;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    return told(error);
  }
};

const fill = async (
  folder: string,
  { dataDir, copyTo, madeKey, keysOf, reserveBytes }: BackupSource,
  show: (state: string) => void,
  signal: AbortSignal | undefined,
): Promise<Backup> => {
  const database = embeddedDirectory(folder);
  await mkdir(database, { mode: 0o700 });
  show('copying');
  const keptBytes = (await isSameDisk(folder, embeddedDirectory(dataDir))) ? reserveBytes : 0;
  await copyTo(database, { keptBytes, ...(signal && { signal }) });
  // Not the file's: what stands in that by now need not be the key that the server runs with.
  if (madeKey !== undefined) makeFile(secretKeyFile(folder), madeKey);
  const showCheck = (ns: string, documents: number) => show(`checking ${ns}: ${documents} documents`);
  const check = await checkDataDir(database, showCheck, signal);
  if (check.errors.length > 0) throw new Error(`the copy is not good: ${check.errors[0]}`);
  // Asked of the copy: the server may have changed its keys since.
  const fingerprints = await keysOf(folder);
  signal?.throwIfAborted();
  for (const name of FILES_OF_AN_OPENING) await rm(join(database, name), { force: true });
  for (const path of [join(database, 'data.mdb'), database, folder]) await flush(path);
  return { ...check, fingerprints };
};
