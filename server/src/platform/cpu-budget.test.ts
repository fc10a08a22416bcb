import { describe, expect, test } from 'vitest';
import { CpuBudget, OutOfTime, OWN_WORK } from './cpu-budget.ts';

const spin = (ms: number): void => {
  for (const ends = performance.now() + ms; performance.now() < ends; );
};

describe('work that is paced', () => {
  test('takes one slice of a turn of the event loop, however many callers there are', async () => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const workedIn = new Map<number, Set<number>>();
    const work = async (caller: number): Promise<void> => {
      const budget = new CpuBudget(OWN_WORK);
      for (let piece = 0; piece < 3; piece++) {
        spin(11);
        await budget.checkpoint();
        workedIn.set(turn, (workedIn.get(turn) ?? new Set()).add(caller));
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, caller) => work(caller)));
    isOver = true;
    expect(workedIn.size).toBeGreaterThanOrEqual(30);
    expect([...workedIn.values()].map(({ size }) => size)).toEqual(Array(workedIn.size).fill(1));
  });

  test('has a part of one account beside any number of callers of another', async () => {
    const worked: string[] = [];
    const work = async (account: string, pieces: number): Promise<void> => {
      const budget = new CpuBudget(account);
      for (let piece = 0; piece < pieces; piece++) {
        await budget.checkpoint();
        worked.push(account);
        spin(11);
      }
    };
    const busy = Array.from({ length: 20 }, () => work('busy', 2));
    await Promise.all([...busy, work('other', 5)]);
    expect(worked).toHaveLength(45);
    // Every second slice is the other's, from its first one on.
    expect(worked.lastIndexOf('other') - worked.indexOf('other')).toBeLessThanOrEqual(10);
  });

  test('lets everybody come to an end, and says who took too long', async () => {
    const work = async (pieces: number): Promise<string> => {
      const budget = new CpuBudget(OWN_WORK, 40);
      try {
        for (let piece = 0; piece < pieces; piece++) {
          await budget.checkpoint();
          spin(15);
        }
        return 'done';
      } catch (error) {
        return error instanceof OutOfTime ? error.message : 'broke';
      }
    };
    const long = 'stopped after 40 ms of work';
    expect(await Promise.all([work(20), work(1), work(20), work(1)])).toEqual([long, 'done', long, 'done']);
  });
});
