import type { Duration } from '../../platform/duration.ts';
import type { Attempt } from './attempt.ts';

/** Delays vary by so much either way, so that what failed together does not come back together. */
const JITTER = 0.2;

/** Retry-After is believed up to so much (contract 5). */
const MAX_RETRY_AFTER = 3_600_000;

/** What follows from an attempt. */
export type Verdict =
  | { kind: 'delivered' }
  /** 410: the receiver wants no more of this subscription. */
  | { kind: 'gone' }
  | { kind: 'retry'; after: Duration }
  /** The last attempt failed. */
  | { kind: 'failed' };

/** Retry-After in either of its forms (RFC 9110, 10.2.3), in milliseconds from `now`; undefined when it is neither. */
export const readRetryAfter = (header: string | undefined, now: Date): Duration | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
};

/**
 * The pause after attempt number `tries` (from 1) failed, each a little different; undefined after the last one.
 * @param random from 0 up to 1
 */
export const retryDelay = (
  tries: number,
  delays: readonly Duration[],
  random: () => number = Math.random,
): Duration | undefined => {
  const delay = delays[tries - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER + 2 * JITTER * random()));
};

/**
 * What follows from attempt number `tries` (from 1) of a delivery.
 * @param random from 0 up to 1
 */
export const judge = (
  { status, retryAfter }: Pick<Attempt, 'status' | 'retryAfter'>,
  tries: number,
  delays: readonly Duration[],
  random: () => number = Math.random,
): Verdict => {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const after = retryDelay(tries, delays, random);
  if (after === undefined) return { kind: 'failed' };
  const asked = status === 429 || status === 503 ? readRetryAfter(retryAfter, new Date()) : undefined;
  return { kind: 'retry', after: Math.max(after, Math.min(asked ?? 0, MAX_RETRY_AFTER)) };
};
