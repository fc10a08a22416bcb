import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { ClockCheck } from './clock-check.ts';

const app = testApp();

it.each([
  ['ahead of', 20_000],
  ['behind', -20_000],
])(
  'says once that the clock of a server is %s that of the database, and once that it is right',
  async (_, by) => {
    const told: { level: number; ahead_ms: number }[] = [];
    const log = pino({}, { write: (line: string) => told.push(JSON.parse(line)) });
    const check = new ClockCheck(app.services.connection, log);
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
  },
);

it('takes an answer that was long on the way for none of a clock that differs', async () => {
  const told: string[] = [];
  const log = pino({}, { write: (line: string) => told.push(line) });
  const now = vi.spyOn(Date, 'now').mockReturnValueOnce(1_000_000).mockReturnValueOnce(1_010_000);
  onTestFinished(() => now.mockRestore());
  const db = { command: async () => ({ localTime: new Date(1_000_000) }) };
  await new ClockCheck({ db } as never, log).look();
  expect(told).toEqual([]);
});
