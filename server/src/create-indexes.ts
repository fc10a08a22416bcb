import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { RateLimits } from './http/rate-limits.ts';
import { createModels } from './models.ts';
import type { Config } from './platform/config.ts';

/** Makes all collections and indexes. On a large database that lacks one it takes its time: no deadline may end it. */
export const createIndexes = async (config: Config, connection: Connection, log: Logger): Promise<void> => {
  const models = [...Object.values(createModels(connection)), new RateLimits(config, connection, log)];
  await Promise.all(models.map((model) => model.createIndexes()));
};
