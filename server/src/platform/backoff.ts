import type { Duration } from './duration.ts';

/** Jitter, as a share of the delay in either direction: what failed together does not come back together. */
const JITTER = 0.2;

/** The longest that `retryDelay` gives. */
export const longestDelay = (delays: readonly Duration[]): Duration => Math.max(0, ...delays) * (1 + JITTER);

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
