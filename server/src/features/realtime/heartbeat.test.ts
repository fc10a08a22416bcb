import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Connection } from './connection.ts';
import { Heartbeat } from './heartbeat.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A client that answers pings for a number of seconds. */
const client = (livesFor: number) => {
  const born = performance.now();
  const one = {
    heardAt: born,
    pings: 0,
    cutAt: undefined as number | undefined,
    ping: () => {
      one.pings++;
      if (performance.now() - born <= livesFor * 1_000) one.heardAt = performance.now();
    },
    cut: () => {
      one.cutAt ??= (performance.now() - born) / 1_000;
    },
  };
  return one;
};

it('cuts who is gone within a minute, and nobody else', () => {
  const heartbeat = new Heartbeat();
  heartbeat.start();
  const gone = Array.from({ length: 50 }, (_, i) => client(i));
  const there = Array.from({ length: 50 }, () => client(Number.POSITIVE_INFINITY));
  for (const one of [...gone, ...there]) heartbeat.add(one as unknown as Connection);
  vi.advanceTimersByTime(300_000);
  for (const [livedFor, one] of gone.entries()) {
    expect(one.cutAt).toBeDefined();
    expect((one.cutAt ?? 0) - livedFor).toBeLessThanOrEqual(60);
  }
  for (const one of there) {
    expect(one.cutAt).toBeUndefined();
    expect(one.pings).toBeGreaterThan(10);
  }
  heartbeat.stop();
});

it('forgets who has closed', () => {
  const heartbeat = new Heartbeat();
  heartbeat.start();
  const one = client(0);
  heartbeat.add(one as unknown as Connection);
  heartbeat.remove(one as unknown as Connection);
  vi.advanceTimersByTime(300_000);
  expect([one.pings, one.cutAt]).toEqual([0, undefined]);
  heartbeat.stop();
});
