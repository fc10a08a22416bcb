import { readRetryAfter } from '../../net/retry-after.ts';
import { longestDelay, retryDelay } from '../../platform/backoff.ts';
import type { Duration } from '../../platform/duration.ts';
import type { Attempt } from './attempt.ts';

/** The longest Retry-After that is followed (docs/contract.md#retries). */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** How long a delivery waits for its next attempt at most. */
export const longestWait = (delays: readonly Duration[]): Duration =>
  Math.max(longestDelay(delays), MAX_RETRY_AFTER_MS);

/** What follows from an attempt. */
export type RetryDecision =
  | { kind: 'delivered' }
  /** 410: the receiver wants no more of this webhook. */
  | { kind: 'gone' }
  | { kind: 'retry'; after: Duration }
  /** The last attempt failed. */
  | { kind: 'failed' };

/**
 * What follows from attempt number `tries` (from 1) of a delivery.
 * @param random from 0 up to 1
 */
export const decideRetry = (
  { status, retryAfter }: Pick<Attempt, 'status' | 'retryAfter'>,
  tries: number,
  delays: readonly Duration[],
  random: () => number = Math.random,
): RetryDecision => {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const after = retryDelay(tries, delays, random);
  if (after === undefined) return { kind: 'failed' };
  const asked = status === 429 || status === 503 ? readRetryAfter(retryAfter, new Date()) : undefined;
  return { kind: 'retry', after: Math.max(after, Math.min(asked ?? 0, MAX_RETRY_AFTER_MS)) };
};
