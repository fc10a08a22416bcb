/** Writes a data directory anew without its free pages, in which deleted documents stand until they are used again. */
import { constants, lstatSync, realpathSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { damaged, EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import { checkCopyRoom } from '../storage/copy-room.ts';
import { COMPACTED, openDataDirectory } from '../storage/data-directory.ts';
import type { Environment } from '../storage/environment.ts';
import { actAsOwnerOf } from '../storage/owner.ts';
import { pageBytes } from '../storage/page-bytes.ts';
import { lockInProcess } from '../storage/process-lock.ts';
import { checkDataDir } from './check.ts';
import { copyDataDir } from './copy.ts';

/** The sizes of the data file. */
export interface Compaction {
  bytesBefore: number;
  bytesAfter: number;
}

/**
 * Compacts the data directory, which must not be open anywhere: a verified copy of what is in use takes the place of
 * the file, with its owner, group and mode. Killed at any moment it leaves the one or the other, whole; doing it again begins
 * anew. `show` is told what it does. Fails with an EmbeddedMongodbError when it is in use or damaged, the disk has no room for
 * the copy, or this user can't give the copy the file's owner, or a group that matters: of a file that is its owner's alone it
 * does not.
 */
export async function compactDataDir(
  dataDir: string,
  show: (step: string) => void = () => {},
): Promise<Compaction> {
  show('checking');
  const before = await checkDataDir(dataDir);
  if (before.errors.length > 0) throw damaged(dataDir, before.errors[0]);
  const locked = lockInProcess(dataDir);
  const beItself = actAsOwnerOf(dataDir);
  try {
    refuseLink(join(locked.dataDir, 'data.mdb'));
    const environment = openDataDirectory(locked.dataDir);
    try {
      return await compact(locked.dataDir, environment, before.documents, show);
    } finally {
      // Until here nobody else could open the directory: what they wrote into the old file would be lost.
      await environment.close();
    }
  } finally {
    beItself();
    locked.release();
  }
}

async function compact(
  dataDir: string,
  environment: Environment,
  documents: number,
  show: (step: string) => void,
): Promise<Compaction> {
  const file = join(dataDir, 'data.mdb');
  const folder = join(dataDir, COMPACTED);
  const copy = join(folder, 'data.mdb');
  await checkCopyRoom(dataDir, pageBytes(environment).used, { what: `compacting ${dataDir}` });
  try {
    const { size: bytesBefore, uid, gid, mode } = await stat(file);
    const cannotKeep = (error: Error) => {
      const owner = `its data.mdb belongs to the user ${uid} and the group ${gid}, which a new one can't be given`;
      throw new EmbeddedMongodbError(
        'UNWRITABLE',
        `${dataDir} can't be compacted: ${owner} (${error.message}): do it as root, or as that user in that group`,
      );
    };
    const keepOwner = (path: string, more: { mode?: number } = {}) =>
      makeLike(path, { uid, gid, ...more }).catch((error) => {
        if (mode & 0o077) return cannotKeep(error);
        // A file that is its owner's alone is as private in any group, as in root's after `chown -R parlor data`.
        return makeLike(path, { uid, ...more }).catch(cannotKeep);
      });
    show('copying');
    await mkdir(folder, { mode: 0o700 });
    // Tried with the folder, before any work; so its owner can remove it, too, if this is killed.
    await keepOwner(folder);
    await copyDataDir(dataDir, folder).catch((error: Error) => {
      throw new EmbeddedMongodbError('NO_SPACE', `${dataDir} could not be copied: ${error.message}`);
    });
    show('checking the copy');
    const after = await checkDataDir(folder);
    if (after.errors.length > 0 || after.documents !== documents) {
      const why = after.errors[0] ?? `${after.documents} of ${documents} documents`;
      throw damaged(dataDir, `its copy is not good: ${why}`);
    }
    const { size: bytesAfter } = await stat(copy);
    await keepOwner(copy, { mode });
    await flush(copy);
    show('replacing');
    // Windows renames over no file that is open; nor can anybody who opens it meanwhile be overtaken there.
    if (process.platform === 'win32') await environment.close();
    await rename(copy, file);
    show('flushing');
    await flush(dataDir);
    show('cleaning up');
    return { bytesBefore, bytesAfter };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Gives a file or folder the owner of another one, and its group and mode where these are said. Fails with the system's errors
 * where this process may not. Windows has none of them.
 */
async function makeLike(
  path: string,
  { uid, gid, mode }: { uid: number; gid?: number; mode?: number },
): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const own = await handle.stat();
    const group = gid ?? own.gid;
    if (own.uid !== uid || own.gid !== group) await handle.chown(uid, group);
    if (mode !== undefined) await handle.chmod(mode & 0o777);
  } finally {
    await handle.close();
  }
}

/** The new file would take the place of the link, and what was deleted would stay in the file that it leads to. */
function refuseLink(file: string): void {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const to = realpathSync(file);
  throw new EmbeddedMongodbError('UNWRITABLE', `${file} is a link to ${to}: link the folder, not the file`);
}

/** Writes a file or folder down for good; Windows flushes no folders. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((error) => {
    if (process.platform === 'win32') return undefined;
    throw error;
  });
  await handle?.sync().finally(() => handle.close());
}
