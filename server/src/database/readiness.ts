import type { Connection } from 'mongoose';
import type { Duration } from '../platform/duration.ts';
import { ParlorError } from '../platform/errors.ts';
import { databaseUnavailable } from './unavailable.ts';

/** How long the write may take. */
const READINESS_TIMEOUT_MS: Duration = 2_000;

/** Holds one document: when a server last asked whether the database takes writes. */
export const READINESS_COLLECTION = 'readiness';

/**
 * Makes the question whether the database takes writes: it resolves when it does.
 * Those who ask at the same time share one write, so that a database that hangs is not asked again and again.
 */
export const createReadiness = (connection: Pick<Connection, 'collection'>): (() => Promise<void>) => {
  let writing: Promise<unknown> | undefined;
  const write = async () => {
    const collection = connection.collection<{ _id: string; at: Date }>(READINESS_COLLECTION);
    await collection.updateOne({ _id: 'asked' }, { $set: { at: new Date() } }, { upsert: true });
  };
  return async () => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    let late: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      late = setTimeout(() => {
        const text = `The database has not taken a write within ${READINESS_TIMEOUT_MS / 1_000} seconds.`;
        reject(new ParlorError('unavailable', text, { headers: { 'Retry-After': '1' } }));
      }, READINESS_TIMEOUT_MS);
    });
    try {
      await Promise.race([writing, tooLate]);
    } catch (error) {
      throw databaseUnavailable(error) ?? error;
    } finally {
      clearTimeout(late);
    }
  };
};
