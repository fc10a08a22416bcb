// Loaded before the server in a test: `node --import thread-probe.mjs dist/bundle/main.js`. The main thread and the embedded
// database's, which gets the same command line, each tell on a socket how long one turn of their event loop has taken
// of the processor at most since they were asked last. Time in which the machine does something else does not count.
import { openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { threadId } from 'node:worker_threads';

const TICK_MS = 4;
const NS_PER_MS = 1e6;

// Time on the processor, in nanoseconds, is the first number in there.
const file = openSync('/proc/thread-self/schedstat', 'r');
const bytes = Buffer.alloc(64);
const usedMs = () => {
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return Number.parseInt(bytes.toString('latin1', 0, length), 10) / NS_PER_MS;
};

let longestMs = 0;
let before = usedMs();
const look = () => {
  const now = usedMs();
  longestMs = Math.max(longestMs, now - before);
  before = now;
};
setInterval(look, TICK_MS).unref();

createServer((socket) => {
  look();
  socket.end(String(longestMs));
  longestMs = 0;
})
  .listen(`${process.env.THREAD_PROBE}-${threadId === 0 ? 'main' : 'database'}`)
  .unref();
