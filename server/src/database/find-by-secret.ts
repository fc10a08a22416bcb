import type { Model } from 'mongoose';
import type { Secrets } from '../platform/secrets.ts';
import { findBy } from './find-by.ts';

/**
 * Finds what a token or key opens by its keyed hash in `field`, made with the current SECRET_KEY or the one before.
 * Read from the database each time, as `findBy` does, without its events: a new token or key holds at once everywhere.
 */
export const findBySecret = <T extends { _id: string }>(
  model: Model<T>,
  field: keyof T & string,
  secrets: Secrets,
): ((secret: string) => Promise<Omit<T, 'events'> | undefined>) => {
  const find = findBy<T, object>(model, field, { events: 0 });
  return async (secret) => {
    const found = await Promise.all(secrets.fingerprints('token-fingerprint', secret).map(find));
    return found.find((document) => document !== undefined);
  };
};
