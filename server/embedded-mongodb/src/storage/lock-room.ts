/** Whether the disk has room for a lock file of LMDB's, asked before LMDB maps it. */
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';

/** More than the lock file has, and what a new database writes first. */
const NEEDED_BYTES = 256 * 1024;

/**
 * LMDB makes the lock file sparse and maps it: a block of it that a full disk has no room for is a SIGBUS, and the end of the
 * process. So the room is tried out by a file of its own, unless the lock file has its first block already.
 * Fails with an EmbeddedMongodbError when there is none.
 */
export function checkLockRoom(dataDir: string, lockFile: string): void {
  const lock = statSync(join(dataDir, lockFile), { throwIfNoEntry: false });
  if (process.platform === 'win32' || (lock && lock.blocks > 0)) return;
  const tried = join(dataDir, 'room');
  try {
    // One that a killed process left may be another user's.
    rmSync(tried, { force: true });
    writeFileSync(tried, Buffer.alloc(NEEDED_BYTES), { mode: 0o600, flush: true });
  } catch (error) {
    const reason = (error as Error).message;
    throw new EmbeddedMongodbError('NO_SPACE', `the disk of ${dataDir} has no room for a lock: ${reason}`);
  } finally {
    rmSync(tried, { force: true });
  }
}
