// A thread of its own for the visitors who only listen: what it costs to hold thousands of sockets is not to slow
// the clients that are measured. Does what it is told and says what came of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { comeBack, drop, forEach, open } from './realtime-clients.mjs';

/** @type {import('./realtime-clients.mjs').Client[]} */
const clients = workerData;

/** @type {Record<string, (url: string, within: number) => Promise<unknown>>} */
const orders = {
  open: (url) =>
    forEach(clients, (client) => {
      client.after = undefined;
      return open(url, client);
    }),
  drop: () => drop(clients),
  /** All come back, spread over `within` milliseconds; says how long each took, and all of them. */
  comeBack: async (url, within) => {
    const begun = performance.now();
    /** @type {number[]} */
    const times = [];
    await forEach(
      clients.map((client, index) => ({ client, at: (index / clients.length) * within })),
      async ({ client, at }) => {
        await sleep(Math.max(0, begun + at - performance.now()));
        const opened = performance.now();
        await comeBack(url, client);
        times.push(performance.now() - opened);
      },
      clients.length,
    );
    return { times, took: performance.now() - begun };
  },
};

parentPort?.on('message', async ({ order, url, within }) => {
  parentPort?.postMessage(await orders[order]?.(url, within));
});
