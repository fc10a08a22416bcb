// A thread of its own, so that opening thousands of sockets does not slow what is measured meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { comeBack, forEach } from './realtime-clients.mjs';

/** @type {{ url: string, clients: import('./realtime-clients.mjs').Client[], within: number }} */
const { url, clients, within } = workerData;
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
parentPort?.postMessage({ times, took: performance.now() - begun });
for (const { socket } of clients) {
  socket?.removeAllListeners('close');
  socket?.terminate();
}
