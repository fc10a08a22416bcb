/** A part that works by itself between its start and its stop. */
export interface Running {
  start?(): void | Promise<void>;
  /** Finishes what it has begun. */
  stop(): void | Promise<void>;
}

/** Parts each of which comes after what it needs: started in this order, and stopped in the opposite one. */
export const inOrder = (given: readonly (Running | undefined)[]) => {
  const parts = given.filter((part) => part !== undefined);
  return {
    async start(): Promise<void> {
      for (const part of parts) await part.start?.();
    },
    async stop(): Promise<void> {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
};
