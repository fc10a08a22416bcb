import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from './log.ts';
import { Sweeper } from './sweeper.ts';

const log = createLog('silent');

/** A sweeper whose sweeps end when the test says so. */
const held = (every: number) => {
  const ends: (() => void)[] = [];
  const sweep = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        ends.push(resolve);
      }),
  );
  const sweeper = new Sweeper({ sweep, every, log, failed: 'failed' });
  onTestFinished(() => {
    for (const end of ends) end();
    return sweeper.stop();
  });
  return { sweep, sweeper, end: () => ends.shift()?.() };
};

it('sweeps at its start and then from time to time, and goes on after a failure', async () => {
  const sweep = vi.fn().mockRejectedValueOnce(new Error('gone')).mockResolvedValue(undefined);
  const sweeper = new Sweeper({ sweep, every: 5, log, failed: 'failed' });
  expect(sweep).not.toHaveBeenCalled();
  sweeper.start();
  expect(sweep).toHaveBeenCalledOnce();
  await expect.poll(() => sweep.mock.calls.length).toBeGreaterThan(3);
  await sweeper.stop();
  const { length } = sweep.mock.calls;
  await sleep(50);
  expect(sweep).toHaveBeenCalledTimes(length);
});

it('begins no sweep while one runs, and one more for all that woke it meanwhile', async () => {
  const { sweep, sweeper, end } = held(1);
  sweeper.start();
  await sleep(20);
  expect(sweep).toHaveBeenCalledOnce();
  sweeper.wake();
  sweeper.wake();
  expect(sweep).toHaveBeenCalledOnce();
  end();
  await expect.poll(() => sweep).toHaveBeenCalledTimes(2);
});

it('waits at its stop for the sweep that runs, and sweeps no more, even when it is woken', async () => {
  const { sweep, sweeper, end } = held(60_000);
  sweeper.start();
  sweeper.wake();
  let isStopped = false;
  const stopped = sweeper.stop().then(() => {
    isStopped = true;
  });
  await sleep(10);
  expect(isStopped).toBe(false);
  end();
  await stopped;
  sweeper.wake();
  expect(sweep).toHaveBeenCalledOnce();
});

it('leaves most of the time to others after a sweep that took long, unless it is woken', async () => {
  const begins: number[] = [];
  const ends: number[] = [];
  const sweep = async () => {
    begins.push(performance.now());
    await sleep(300);
    ends.push(performance.now());
  };
  const sweeper = new Sweeper({ sweep, every: 10, share: 0.25, log, failed: 'failed' });
  onTestFinished(() => sweeper.stop());
  sweeper.start();
  await expect.poll(() => ends.length, { timeout: 5000 }).toBe(2);
  const [first = 0, second = 0] = begins;
  expect(second - (ends[0] ?? 0)).toBeGreaterThan(2.9 * ((ends[0] ?? 0) - first));
  await sleep(50);
  expect(begins.length).toBe(2);
  sweeper.wake();
  expect(begins.length).toBe(3);
});

it('does not rest as long as it finds something', async () => {
  const sweep = vi.fn(async () => {
    await sleep(100);
    return true;
  });
  const sweeper = new Sweeper({ sweep, every: 10, share: 0.001, log, failed: 'failed' });
  onTestFinished(() => sweeper.stop());
  sweeper.start();
  await expect.poll(() => sweep.mock.calls.length, { timeout: 5_000 }).toBeGreaterThan(3);
});
