import { ParlorError } from '../platform/errors.ts';

/** Errors of the driver that mean that the database can't be reached now, or did not answer in time. */
const UNREACHABLE = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoOperationTimeoutError',
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoWaitQueueTimeoutError',
  'WaitQueueTimeoutError',
  'MongooseServerSelectionError',
]);

/** MongoDB's error numbers: a disk without room, and an operation that took too long. */
const OUT_OF_DISK_SPACE = 14_031;
const MAX_TIME_EXPIRED = 50;

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

/**
 * What a caller is told when the database can't do now what was asked. It may have been done all the same, where
 * only the answer was late.
 * @returns undefined for any other error
 */
export const databaseUnavailable = (error: unknown): ParlorError | undefined => {
  const { name = '', code } = (error ?? {}) as { name?: string; code?: unknown };
  if (code === OUT_OF_DISK_SPACE) {
    return new ParlorError('unavailable', 'The disk of the database is full. Deleting makes room.', {
      headers: { 'Retry-After': RETRY_AFTER_FULL },
    });
  }
  if (!UNREACHABLE.has(name) && code !== MAX_TIME_EXPIRED) return undefined;
  return new ParlorError('unavailable', 'The database is not reachable. Try again.', {
    headers: { 'Retry-After': RETRY_AFTER_UNREACHABLE },
  });
};
