/** What follows where LMDB itself could not write: the disk is full in a way that nobody could see, or it is broken. */
import { statfsSync, writeSync } from 'node:fs';
import { MongoError, notWritable } from '../errors/mongo-error.ts';
import { NoRoomError } from './disk-room.ts';

const SAYS_FULL = /No space left|ENOSPC|File too large|EFBIG|MDB_MAP_FULL|quota/i;

/** What LMDB appends to the system's words, from a block of this length. */
const DETAIL = /Attempting to write page at .*/;
const DETAIL_BYTES = 100;

/** Less free space than this is none: writing a transaction takes more. */
const NO_SPACE_BYTES = 256 * 1024;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether LMDB failed to write pages, which it has told on stderr. */
export const isWriteFailure = (error: unknown): boolean =>
  !(error instanceof NoRoomError) &&
  !(error instanceof MongoError) &&
  (SAYS_FULL.test(messageOf(error)) || DETAIL.test(messageOf(error)));

/** Whether making the error's message has overwritten what lies behind its block in memory (see disk-room.ts). */
export const hasOverwrittenMemory = (error: unknown): boolean =>
  (DETAIL.exec(messageOf(error))?.[0].length ?? 0) >= DETAIL_BYTES;

/**
 * Called after LMDB failed to write pages. Nothing of the transaction is in the file; but where memory was overwritten,
 * the next transaction might write that down. So the process ends then, at once and without closing the file, which is
 * whole after each end; whoever watches over it starts it again.
 */
export function afterWriteFailure(error: unknown): void {
  // "Write error: …" has no line's end, and nothing turns it off: what is logged next has a line of its own.
  tell('\n');
  if (!hasOverwrittenMemory(error)) return;
  tell(
    'The embedded database could not write, and this has damaged its memory: the process ends to save the data.\n',
  );
  process.kill(process.pid, 'SIGKILL');
}

/** What a client is told when storage failed: a full disk has a code of its own in MongoDB. */
export function storageError(error: unknown, directory: string): unknown {
  if (error instanceof MongoError) return error;
  const message = messageOf(error);
  // A page that is written in part is an EIO to LMDB, whatever the reason.
  const isPartial = /Input\/output error|EIO/.test(message) && isFull(directory);
  if (!(error instanceof NoRoomError) && !SAYS_FULL.test(message) && !isPartial)
    return isWriteFailure(error) ? notWritable(message) : error;
  return new MongoError(14031, 'OutOfDiskSpace', `the write was not stored, the disk is full: ${message}`);
}

function isFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < NO_SPACE_BYTES;
  } catch {
    return false;
  }
}

function tell(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Nobody reads it.
  }
}
