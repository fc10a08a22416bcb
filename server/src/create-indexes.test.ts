import pino from 'pino';
import { expect, it } from 'vitest';
import { testApp } from '../test/app.ts';
import { createIndexes } from './create-indexes.ts';
import { loadConfig } from './platform/config.ts';

const app = testApp();

it('tells of indexes that take long, and that they are there', async () => {
  const told: string[] = [];
  const log = pino({}, { write: (line: string) => told.push(JSON.parse(line).msg) });
  const { connection } = app.services;
  await createIndexes(loadConfig({}), connection, log);
  expect(told).toEqual([]);
  await createIndexes(loadConfig({}), connection, log, 1);
  expect(told.length).toBeGreaterThan(1);
  expect(told.at(-1)).toBe('the database has all its indexes');
  expect(told[0]).toContain('making the indexes');
});

it('drops indexes that nothing reads along, where no older process may', async () => {
  const { connection, models } = app.services;
  const { collection } = models.inbox;
  const old = await collection.createIndex({ account: 1, unread: 1, status: 1, rank: -1, _id: -1 });
  const there = async () => (await collection.indexes()).map(({ name }) => name);
  const log = pino({ level: 'silent' });
  await createIndexes(
    loadConfig({ MONGODB_URL: 'mongodb://127.0.0.1:27017', SECRET_KEY: 'k'.repeat(40) }),
    connection,
    log,
  );
  expect(await there()).toContain(old);
  await createIndexes(loadConfig({}), connection, log);
  expect(await there()).not.toContain(old);
});
