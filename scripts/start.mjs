// `npm start`: builds what is stale and starts the server in this process, so that signals reach it.
import { constants } from 'node:os';
import { buildStale } from './build.mjs';

// The first process of a container ignores each signal that it does not listen to.
const stopping = new AbortController();
let isServerTold = false;
/** @param {NodeJS.Signals} signal */
const stop = (signal) => {
  if (process.listenerCount(signal) > 1) isServerTold = true;
  else stopping.abort(signal);
};
const SIGNALS = /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']);
for (const signal of SIGNALS) process.on(signal, stop);
try {
  await buildStale(stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) {
    process.stderr.write(`Parlor can't start: ${/** @type {Error} */ (error).message}\n`);
    process.exit(1);
  }
}
/** @returns {NodeJS.Signals | undefined} */
const asked = () => (stopping.signal.aborted ? stopping.signal.reason : undefined);
const early = asked();
if (early) process.exit(128 + constants.signals[early]);
await import(`${new URL('../server/dist/bundle/main.js', import.meta.url)}`);
for (const signal of SIGNALS) process.off(signal, stop);
// One that came before the server listened to it. Told twice it would end at once.
const late = asked();
if (late && !isServerTold) process.kill(process.pid, late);
