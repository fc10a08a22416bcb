import { afterEach, describe, expect, test, vi } from 'vitest';
import { readRetryAfter } from '../../net/retry-after.ts';
import { loadConfig } from '../../platform/config.ts';
import { decideRetry } from './retries.ts';

const DELAYS = loadConfig({}).WEBHOOK_RETRY_DELAYS;
const S = 1_000;
const M = 60 * S;
const H = 60 * M;

const answer = (status: number | null, retryAfter?: string) => ({ status, retryAfter });
const after = (status: number | null, tries: number, retryAfter?: string, random = 0.5): number => {
  const decision = decideRetry(answer(status, retryAfter), tries, DELAYS, () => random);
  if (decision.kind !== 'retry') throw new Error(decision.kind);
  return decision.after;
};

afterEach(() => vi.unstubAllEnvs());

describe('what follows from an attempt', () => {
  test.each([200, 201, 202, 204, 299])('%i is success', (status) => {
    expect(decideRetry(answer(status), 1, DELAYS)).toEqual({ kind: 'delivered' });
    expect(decideRetry(answer(status), 11, DELAYS)).toEqual({ kind: 'delivered' });
  });

  test('410 ends the webhook', () => {
    expect(decideRetry(answer(410), 1, DELAYS)).toEqual({ kind: 'gone' });
  });

  test.each([null, 100, 301, 302, 304, 307, 400, 401, 404, 409, 429, 500, 503])('%s is retried', (status) => {
    expect(decideRetry(answer(status), 1, DELAYS).kind).toBe('retry');
  });

  test('the delays are the contract’s, in order, and then it has failed', () => {
    const wanted = [5 * S, 30 * S, 5 * M, 30 * M, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H];
    expect(wanted.map((_, index) => after(500, index + 1))).toEqual(wanted);
    expect(decideRetry(answer(500), 11, DELAYS)).toEqual({ kind: 'failed' });
    expect(decideRetry(answer(503, '10'), 11, DELAYS)).toEqual({ kind: 'failed' });
  });

  test('each varies by a fifth either way', () => {
    expect(after(500, 1, undefined, 0)).toBe(4 * S);
    expect(after(500, 1, undefined, 1)).toBe(6 * S);
    const seen = Array.from({ length: 1_000 }, () => decideRetry(answer(null), 2, DELAYS));
    for (const decision of seen) {
      if (decision.kind !== 'retry') throw new Error(decision.kind);
      expect(decision.after).toBeGreaterThanOrEqual(24 * S);
      expect(decision.after).toBeLessThanOrEqual(36 * S);
    }
    expect(new Set(seen.map((decision) => JSON.stringify(decision))).size).toBeGreaterThan(500);
  });

  test('Retry-After on 429 and 503 replaces a shorter delay, up to an hour', () => {
    expect(after(429, 1, '120')).toBe(120 * S);
    expect(after(503, 1, '120')).toBe(120 * S);
    expect(after(429, 3, '10')).toBe(5 * M);
    expect(after(503, 1, '86400')).toBe(H);
    expect(after(503, 5, '86400')).toBe(2 * H);
    for (const digits of [10, 11, 400]) expect(after(429, 1, '9'.repeat(digits))).toBe(H);
    expect(after(500, 1, '120')).toBe(5 * S);
    expect(after(429, 1, 'soon')).toBe(5 * S);
    expect(after(429, 1, '-5')).toBe(5 * S);
  });

  test.each(['UTC', 'Asia/Tokyo', 'America/New_York'])(
    'Retry-After is read in all of its forms in %s',
    (zone) => {
      vi.stubEnv('TZ', zone);
      const now = new Date('2026-11-21T09:30:00Z');
      expect(readRetryAfter('0', now)).toBe(0);
      expect(readRetryAfter('7', now)).toBe(7 * S);
      expect(readRetryAfter('Sat, 21 Nov 2026 09:31:00 GMT', now)).toBe(M);
      expect(readRetryAfter('Sat, 21 Nov 2026 09:29:00 GMT', now)).toBe(0);
      expect(readRetryAfter('Saturday, 21-Nov-26 09:31:00 GMT', now)).toBe(M);
      expect(readRetryAfter('Sat Nov 21 09:31:00 2026', now)).toBe(M);
      expect(readRetryAfter('Sat Nov 21 09:29:00 2026', now)).toBe(0);
      expect(readRetryAfter(' Sun Nov  1 09:31:00 2026 ', new Date('2026-11-01T09:30:00Z'))).toBe(M);
      expect(readRetryAfter('Sat Nov 41 09:31:00 2026', now)).toBeUndefined();
      expect(readRetryAfter(undefined, now)).toBeUndefined();
      expect(readRetryAfter('', now)).toBeUndefined();
      expect(readRetryAfter('never', now)).toBeUndefined();
    },
  );
});
