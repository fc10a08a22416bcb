import { performance } from 'node:perf_hooks';

/** Group size and interval in milliseconds: 2 000 connections a second. */
const GROUP = 20;
const EVERY = 10;

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
 * Lets clients in when there is time for it. When thousands come back at once, whoever needs several turns of the
 * event loop, as a POST does, would wait for what all of them ask for again and again; and as Node.js takes one
 * connection in each turn, whoever has none yet would not even be heard. Those who go on together ask the database
 * together: one by one, each would cost commands of its own.
 * @returns resolves when its caller may go on; they go on in the order in which they asked
 */
export const createAdmission = (isBusy = busyLoop()): (() => Promise<void>) => {
  const waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let skipped = 0;

  const look = (): void => {
    timer = waiting.length > 0 ? setTimeout(look, EVERY) : undefined;
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
