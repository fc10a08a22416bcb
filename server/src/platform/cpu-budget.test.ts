import { describe, expect, test } from 'vitest';
import { CpuBudget, OutOfTime } from './cpu-budget.ts';

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
      const budget = new CpuBudget();
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

  test('lets everybody come to an end, and says who took too long', async () => {
    const work = async (pieces: number): Promise<string> => {
      const budget = new CpuBudget(40);
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
