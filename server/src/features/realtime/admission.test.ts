import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAdmission } from './admission.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** How many ask at once; what went on is theirs to see. */
const crowd = (count: number, isBusy: () => boolean) => {
  const admitted = createAdmission(isBusy);
  const wentOn: number[] = [];
  for (let i = 0; i < count; i++) void admitted().then(() => wentOn.push(i));
  return wentOn;
};

it('lets whoever comes alone go on at once', async () => {
  const admitted = createAdmission(() => false);
  for (const pauseMs of [0, 10, 1_000]) {
    await vi.advanceTimersByTimeAsync(pauseMs);
    const goesOn = vi.fn();
    void admitted().then(goesOn);
    // No timer runs in between.
    await Promise.resolve();
    await Promise.resolve();
    expect(goesOn, `after ${pauseMs} ms`).toHaveBeenCalledOnce();
  }
});

it('lets twenty go on each 10 ms, in their order', async () => {
  const wentOn = crowd(50, () => false);
  await vi.advanceTimersByTimeAsync(10);
  expect(wentOn).toHaveLength(21);
  await vi.advanceTimersByTimeAsync(10);
  expect(wentOn).toHaveLength(41);
  await vi.advanceTimersByTimeAsync(10);
  expect(wentOn).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

it('lets twenty go on each 30 ms while there is no time to spare', async () => {
  const wentOn = crowd(50, () => true);
  await vi.advanceTimersByTimeAsync(19);
  expect(wentOn).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(wentOn).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(29);
  expect(wentOn).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(1);
  expect(wentOn).toHaveLength(40);
});

it('goes on with all of them as soon as there is time again', async () => {
  let isBusy = true;
  const wentOn = crowd(30, () => isBusy);
  await vi.advanceTimersByTimeAsync(10);
  isBusy = false;
  await vi.advanceTimersByTimeAsync(20);
  expect(wentOn).toHaveLength(30);
});

it('sees by itself that the event loop has no time to spare', async () => {
  vi.useRealTimers();
  const admitted = createAdmission();
  const blocked = setInterval(() => {
    for (const end = performance.now() + 20; performance.now() < end; );
  });
  let rounds = 0;
  const counted = setInterval(() => rounds++);
  await Promise.all(Array.from({ length: 61 }, () => admitted()));
  clearInterval(blocked);
  clearInterval(counted);
  expect(rounds).toBeGreaterThan(8);
});
