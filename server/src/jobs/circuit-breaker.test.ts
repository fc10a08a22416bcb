import { expect, it, onTestFinished } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

const LIMITS = { perQueue: 4, perOrigin: 16, pauseAfter: 2, probeEvery: 3_600_000 };

const paused = () => {
  const breaker = new CircuitBreaker(LIMITS, () => undefined);
  onTestFinished(() => breaker.close());
  breaker.began();
  breaker.began();
  breaker.began();
  expect([breaker.failed(), breaker.failed()]).toEqual([false, true]);
  return breaker;
};

it('what began before a pause and sent nothing brings no probe forward', () => {
  const breaker = paused();
  breaker.unused();
  expect(breaker.state).toBe('open');
});

it('a probe that sent nothing is followed by another one at once, and one that failed is not', () => {
  const breaker = paused();
  breaker.resume();
  breaker.began();
  expect(breaker.admits(0)).toBe(false);
  breaker.unused();
  expect(breaker.admits(0)).toBe(true);
  breaker.began();
  expect(breaker.failed()).toBe(false);
  breaker.unused();
  expect(breaker.admits(0)).toBe(false);
});
