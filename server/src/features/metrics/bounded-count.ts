import type { Duration } from '../../platform/duration.ts';

/** As `/readyz` waits: a collector gives up after 10 s as a rule. */
const ANSWERED_WITHIN_MS: Duration = 2_000;

/**
 * Makes the question how many there are, by `count` of the database: undefined where that fails or takes longer than 2 s.
 * Those who ask meanwhile share one, so that a database that hangs is not asked again and again.
 */
export const boundedCount = (count: () => Promise<number>): (() => Promise<number | undefined>) => {
  let counting: Promise<number | undefined> | undefined;
  return async () => {
    counting ??= count()
      .catch(() => undefined)
      .finally(() => {
        counting = undefined;
      });
    let late: NodeJS.Timeout | undefined;
    const tooLate = new Promise<undefined>((resolve) => {
      late = setTimeout(resolve, ANSWERED_WITHIN_MS, undefined);
    });
    return Promise.race([counting, tooLate]).finally(() => clearTimeout(late));
  };
};
