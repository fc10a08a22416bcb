import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Duration } from './duration.ts';

/** A part that works by itself between its start and its stop. */
export interface Running {
  start?(): void | Promise<void>;
  /** Finishes what it has begun. */
  stop(): void | Promise<void>;
}

/** What each part gets in any case at a stop: to begin nothing more, and to end what waits for nobody. */
const LEAST_MS = 20;

/** Parts that need nothing of each other: started one after the other, and stopped at the same time. */
export const together = (...given: readonly (Running | undefined)[]): Running => {
  const parts = given.filter((part) => part !== undefined);
  return {
    async start(): Promise<void> {
      for (const part of parts) await part.start?.();
    },
    async stop(): Promise<void> {
      const stopped = await Promise.allSettled(parts.map(async (part) => part.stop()));
      const reasons = stopped.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      if (reasons.length > 0) throw new AggregateError(reasons, 'some did not stop');
    },
  };
};

/**
 * Parts each of which comes after what it needs: started in this order, and stopped in the opposite one. What one can't
 * finish, as on a full disk, keeps none of the others from stopping: it is logged, and the next start goes on from there.
 */
export const inOrder = (given: readonly (Running | undefined)[], log: Logger) => {
  const parts = given.filter((part) => part !== undefined);
  return {
    async start(): Promise<void> {
      for (const part of parts) await part.start?.();
    },
    /** @param within how long all of them together may take (milliseconds): a slow database takes its time for each */
    async stop(within: Duration = Number.POSITIVE_INFINITY): Promise<void> {
      const end = performance.now() + within;
      let left = 0;
      for (const part of parts.toReversed()) {
        const stopped = (async () => part.stop())().catch((error) =>
          log.warn({ err: error }, 'what was to be finished at the stop is left'),
        );
        if (!(await endsWithin(stopped, Math.max(LEAST_MS, end - performance.now())))) left++;
      }
      if (left > 0) log.warn({ parts: left }, 'the stop takes too long: what is not finished is left');
    },
  };
};

/** Whether something has ended when that time is over. */
const endsWithin = async (work: Promise<unknown>, ms: Duration): Promise<boolean> => {
  if (ms === Number.POSITIVE_INFINITY) return work.then(() => true);
  const over = new AbortController();
  const late = sleep(ms, false, { signal: over.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    over.abort();
  }
};
