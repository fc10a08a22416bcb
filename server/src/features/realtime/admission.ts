import { performance } from 'node:perf_hooks';

/** Group size and interval: 2 000 connections a second. */
const GROUP = 20;
const EVERY_MS = 10;

/** While there is no time to spare, each third time a group goes on nevertheless: 667 a second. */
const PATIENCE = 3;

/** The share of its time that the event loop is busy for when it has none to spare. */
const BUSY = 0.9;

/** @returns says whether the event loop had hardly a moment to spare since it was last asked */
const busyLoop = (): (() => boolean) => {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization > BUSY;
  };
};

/**
 * Lets clients in when the event loop has time, in groups, whose commands to the database are one batch. When thousands come
 * back at once, a request that needs several turns of the loop would else wait for all of them again and again, and a new
 * connection, of which Node.js takes one in each turn, would not be heard.
 * @returns resolves when its caller may go on; they go on in the order in which they asked
 */
export const createAdmission = (isBusy = busyLoop()): (() => Promise<void>) => {
  const waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let skipped = 0;

  const look = (): void => {
    timer = waiting.length > 0 ? setTimeout(look, EVERY_MS) : undefined;
    if (isBusy() && ++skipped < PATIENCE) return;
    skipped = 0;
    for (const goOn of waiting.splice(0, GROUP)) goOn();
  };

  return () =>
    new Promise((goOn) => {
      waiting.push(goOn);
      if (timer === undefined) look();
    });
};
