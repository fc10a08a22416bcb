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
