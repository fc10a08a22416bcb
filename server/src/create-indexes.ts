import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { RateLimits } from './http/rate-limits.ts';
import { createModels } from './models.ts';
import type { Config } from './platform/config.ts';

/**
 * Makes all collections and indexes, those of a collection by one command: one by one they took a tenth of a start. On a
 * large database that lacks one it takes its time: no deadline may end it.
 */
export const createIndexes = async (config: Config, connection: Connection, log: Logger): Promise<void> => {
  const ofModels = Object.values(createModels(connection)).map(async ({ schema, collection }) => {
    const indexes = schema
      .indexes()
      .map(([key, { background: _background, ...options }]) => ({ ...options, key }));
    if (indexes.length > 0) await collection.createIndexes(indexes as never);
  });
  await Promise.all([...ofModels, new RateLimits(config, connection, log).createIndexes()]);
};
