import type { Model } from 'mongoose';
import type { Secrets } from '../platform/secrets.ts';
import { findBy } from './find-by.ts';

/**
 * Finds what a token or key opens by its keyed hash in `field`, made with the current SECRET_KEY or the one before.
 * Read from the database each time, as `findBy` does: a new token or key holds at once everywhere.
 */
export const findBySecret = <T extends object>(
  model: Pick<Model<unknown>, 'collection'>,
  field: keyof T & string,
  secrets: Secrets,
): ((secret: string) => Promise<T | undefined>) => {
  const find = findBy<T>(model, field);
  return async (secret) => {
    const found = await Promise.all(secrets.fingerprints('token-fingerprint', secret).map(find));
    return found.find((document) => document !== undefined);
  };
};
