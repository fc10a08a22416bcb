/** Whether a disk has room for a copy of the database. */
import { statfs } from 'node:fs/promises';
import { EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';

/** What is written besides the pages in use: the lock file of the copy, the folder, the head. */
const EXTRA_BYTES = 1024 * 1024;

/**
 * Fails with an EmbeddedMongodbError when the disk of a directory has no room for a copy of `usedBytes`, which is to leave
 * `keptBytes` of it. `what` begins the message.
 */
export async function checkCopyRoom(
  directory: string,
  usedBytes: number,
  { what, keptBytes = 0 }: { what: string; keptBytes?: number },
): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const [needed, free] = [usedBytes + EXTRA_BYTES + keptBytes, bavail * bsize];
  if (free >= needed) return;
  throw new EmbeddedMongodbError(
    'NO_SPACE',
    `${what} needs ${needed} bytes beside the database, and the disk has ${free} free`,
  );
}
