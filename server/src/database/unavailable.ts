import { mongo } from 'mongoose';
import { ParlorError } from '../platform/errors.ts';
import { OUT_OF_DISK_SPACE } from './database-error.ts';

/** Errors of the driver that mean that the database can't be reached now, or did not answer in time. */
const UNREACHABLE = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoOperationTimeoutError',
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoWaitQueueTimeoutError',
  'WaitQueueTimeoutError',
  'MongooseServerSelectionError',
]);

/** Errors of sockets, which the driver hands on as they are where a write meets one that has just broken. */
const BROKEN_SOCKET: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * What a MongoDB answers that took too long, is stopping, or is no primary any more (Server Discovery and Monitoring,
 * "not writable primary" and "node is recovering"; Retryable Writes, "retryable error"); and the embedded database where its
 * file is not in its place any more, or its disk takes no writes (39).
 */
const NOT_NOW: ReadonlySet<unknown> = new Set([
  6, 7, 39, 50, 64, 89, 91, 134, 189, 262, 9_001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

/** Seconds after which the same request may work. */
const RETRY_AFTER_UNREACHABLE = '1';
const RETRY_AFTER_FULL = '30';

/** What a caller is told while only the disk's reserve is left (disk-reserve.ts), where the log has one line for all. */
export const diskNearlyFull = (): ParlorError =>
  new ParlorError(
    'disk_nearly_full',
    'The disk of the database is nearly full: reading, signing in and deleting work, storing does not. Deleting makes room.',
    { headers: { 'Retry-After': RETRY_AFTER_FULL } },
  );

/** Whether a bulk write failed as a whole: the driver wraps whatever it was, and keeps no more of it than the text. */
const isBrokenOff = (error: unknown): boolean =>
  error instanceof mongo.MongoBulkWriteError &&
  error.code === undefined &&
  [error.writeErrors].flat().length === 0;

/** Whether the database could not be reached, or did not answer in time. It may have done what it was asked all the same. */
export const databaseUnreachable = (error: unknown): boolean => {
  const { name = '', code } = (error ?? {}) as { name?: string; code?: unknown };
  return UNREACHABLE.has(name) || BROKEN_SOCKET.has(code) || NOT_NOW.has(code) || isBrokenOff(error);
};

/** Whether no server of the database was found in time: whoever asks next waits as long, and is told the same. */
export const databaseAway = (error: unknown): boolean =>
  /^Mongo(ose)?ServerSelectionError$/.test((error as Error | null | undefined)?.name ?? '');

/** Whether the disk has no room for all that was to be written; of a bulk write some may be stored all the same. */
export const isOutOfDisk = (error: unknown): boolean => {
  const { code, writeErrors = [] } = (error ?? {}) as { code?: unknown; writeErrors?: unknown };
  if (code === OUT_OF_DISK_SPACE) return true;
  return [writeErrors].flat().some((one) => (one as { code?: unknown }).code === OUT_OF_DISK_SPACE);
};

/**
 * What a caller is told when the database can't do now what was asked. It may have been done all the same, where
 * only its reply was late.
 * @returns undefined for any other error
 */
export const databaseUnavailable = (error: unknown): ParlorError | undefined => {
  if (isOutOfDisk(error)) {
    return new ParlorError('unavailable', 'The disk of the database is full. Deleting makes room.', {
      headers: { 'Retry-After': RETRY_AFTER_FULL },
    });
  }
  if (!databaseUnreachable(error)) return undefined;
  return new ParlorError('unavailable', 'The database is not reachable. Try again.', {
    headers: { 'Retry-After': RETRY_AFTER_UNREACHABLE },
  });
};
