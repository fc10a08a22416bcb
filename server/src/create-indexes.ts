import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { RateLimits } from './http/rate-limits.ts';
import { createModels } from './models.ts';
import { type Config, isOnlyProcess } from './platform/config.ts';
import type { Duration } from './platform/duration.ts';

/** How often the log says that it goes on. */
const TOLD_EVERY_MS = 10_000;

/** Those of conversations that nothing reads along any more, and that each message of one keeps up. */
const UNUSED = ['rank', 'updated_at'].map((order) => `account_1_unread_1_status_1_${order}_-1__id_-1`);

/**
 * Makes all collections and indexes, those of a collection by one command: one by one they took a tenth of a start. On a
 * large database that lacks one it takes its time, which the log tells: no deadline may end it.
 */
export const createIndexes = async (
  config: Config,
  connection: Connection,
  log: Logger,
  toldEvery: Duration = TOLD_EVERY_MS,
): Promise<void> => {
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 1_000);
  let isTold = false;
  const telling = setInterval(() => {
    isTold = true;
    log.info({ seconds: seconds() }, 'making the indexes that the database lacks: the start waits for them');
  }, toldEvery);
  try {
    await create(config, connection, log);
    await dropUnused(config, connection);
  } finally {
    clearInterval(telling);
  }
  if (isTold) log.info({ seconds: seconds() }, 'the database has all its indexes');
};

const create = async (config: Config, connection: Connection, log: Logger): Promise<void> => {
  const ofModels = Object.values(createModels(connection)).map(async ({ schema, collection }) => {
    const indexes = schema
      .indexes()
      .map(([key, { background: _background, ...options }]) => ({ ...options, key }));
    if (indexes.length > 0) await collection.createIndexes(indexes as never);
  });
  await Promise.all([...ofModels, new RateLimits(config, connection, log).createIndexes()]);
};

/** An older process may still read along them: on a MongoDB they are dropped by hand (CHANGELOG.md). */
const dropUnused = async (config: Config, connection: Connection): Promise<void> => {
  if (!isOnlyProcess(config)) return;
  const { collection } = createModels(connection).inbox;
  const there = await collection.indexes();
  for (const { name = '' } of there) if (UNUSED.includes(name)) await collection.dropIndex(name);
};
