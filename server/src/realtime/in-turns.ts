import pLimit from 'p-limit';

/**
 * When thousands of clients come back at once, each turn of the event loop would be as long as what all of them ask
 * for, and whoever needs several turns, as a POST does, would wait for as many of these.
 * @param atOnce how many go on in one turn
 * @returns resolves when its caller may go on
 */
export const inTurns = (atOnce: number): (() => Promise<void>) => {
  const limit = pLimit(atOnce);
  return () => limit(() => new Promise<void>((resolve) => setImmediate(resolve)));
};
