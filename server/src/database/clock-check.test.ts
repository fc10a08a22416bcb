import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { ClockCheck } from './clock-check.ts';

const app = testApp();

const answering = (command: () => Promise<object>) => ({ db: { command } });

/** A check of the clock against a database, by default one whose clock is right, and what the log has of it. */
const startCheck = (connection: object = answering(async () => ({ localTime: new Date() }))) => {
  const told: { level: number; ahead_ms: number }[] = [];
  const log = pino({}, { write: (line: string) => told.push(JSON.parse(line)) });
  return { check: new ClockCheck(connection as never, log), told };
};

it.each([
  ['ahead of', 20_000],
  ['behind', -20_000],
])('says once that a server is %s the database, and once that its clock is right', async (_, by) => {
  const { check, told } = startCheck();
  await check.look();
  expect(told).toEqual([]);
  const right = Date.now;
  const set = vi.spyOn(Date, 'now').mockImplementation(() => right() + by);
  onTestFinished(() => set.mockRestore());
  await check.look();
  await check.look();
  expect(told).toMatchObject([{ level: 40 }]);
  expect(Math.sign(told[0]?.ahead_ms ?? 0)).toBe(Math.sign(by));
  set.mockRestore();
  await check.look();
  await check.look();
  expect(told).toMatchObject([{ level: 40 }, { level: 30 }]);
});

it('takes an answer that was long on the way for none of a clock that differs', async () => {
  const { check, told } = startCheck(answering(async () => ({ localTime: new Date(1_000_000) })));
  const now = vi.spyOn(Date, 'now').mockReturnValueOnce(1_000_000).mockReturnValueOnce(1_010_000);
  onTestFinished(() => now.mockRestore());
  await check.look();
  expect(told).toEqual([]);
});

it('asks any database that there is', async () => {
  const { check, told } = startCheck(app.services.connection);
  await check.look();
  expect(told).toEqual([]);
});
