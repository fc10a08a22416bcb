/**
 * Whose the files of a data directory are. Root opens everybody's files, and makes its own: one beside a service's database
 * would keep the service from its next start.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fsyncSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Gives what root has made to the owner of `like`; what anybody else makes is theirs. */
function giveToOwnerOf(descriptor: number, like: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  if (uid === 0) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch (error) {
    // Root without that right, as in some containers, opens nobody's database but one that it has made.
    if (!['EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * Makes a file that only its owner reads, and writes it down for good; made by root it is the owner's of `like`.
 * Fails with the system's errors, EEXIST where there is one.
 */
export function makeFile(file: string, text: string, like: string): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    giveToOwnerOf(descriptor, like);
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Gives a folder that was just made to the owner of the one that it is in, where root has made it. */
export function giveFolderToOwnerOf(folder: string, above: string): void {
  if (process.geteuid?.() !== 0) return;
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    giveToOwnerOf(descriptor, above);
  } finally {
    closeSync(descriptor);
  }
}

/** LMDB makes its files as whoever opens them first: where that is root, its owner's are there before. @param others beside data.mdb */
export function makeOwnersFiles(dataDir: string, others: string[]): void {
  if (process.geteuid?.() !== 0) return;
  const data = join(dataDir, 'data.mdb');
  if (statSync(existsSync(data) ? data : dataDir).uid === 0) return;
  makeUnlessThere(data, dataDir);
  for (const name of others) makeUnlessThere(join(dataDir, name), data);
}

function makeUnlessThere(file: string, like: string): void {
  try {
    makeFile(file, '', like);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Gives a file or folder the owner of another one, and its group and mode where these are said. Fails with the system's errors
 * where this process may not. Windows has none of them.
 */
export async function makeLike(
  path: string,
  { uid, gid, mode }: { uid: number; gid?: number; mode?: number },
): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    const own = await handle.stat();
    const group = gid ?? own.gid;
    if (own.uid !== uid || own.gid !== group) await handle.chown(uid, group);
    if (mode !== undefined) await handle.chmod(mode & 0o777);
  } finally {
    await handle.close();
  }
}
