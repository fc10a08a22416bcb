import type { Logger } from 'pino';

/** A part that works by itself between its start and its stop. */
export interface Running {
  start?(): void | Promise<void>;
  /** Finishes what it has begun. */
  stop(): void | Promise<void>;
}

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
    async stop(): Promise<void> {
      for (const part of parts.toReversed()) {
        try {
          await part.stop();
        } catch (error) {
          log.warn({ err: error }, 'what was to be finished at the stop is left');
        }
      }
    },
  };
};
