import { once } from 'node:events';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import { startServer } from '../src/server.ts';
import { serverSettings } from './server-process.ts';

/** A client on a thread of its own, since the server's is kept from going on until the client is connected. */
const CLIENT = `
const { connect } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const { port, isConnected } = workerData;
parentPort.once('message', () => {
  let answer = '';
  const socket = connect(port, '127.0.0.1', () => {
    Atomics.store(isConnected, 0, 1);
    Atomics.notify(isConnected, 0);
    socket.write('GET /healthz HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
  });
  socket.on('data', (bytes) => (answer += bytes));
  socket.on('error', ({ code }) => (answer = code));
  socket.on('close', () => parentPort.postMessage(answer));
});
`;

it('answers on a connection that is made right after the loop has looked for some', async () => {
  const config = loadConfig(await serverSettings());
  const { url, stop } = await startServer(config, createLog('silent'), async () => undefined);
  const isConnected = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(CLIENT, { eval: true, workerData: { port: new URL(url).port, isConnected } });
  onTestFinished(async () => void (await client.terminate()));
  await once(client, 'online');
  const answered = once(client, 'message');
  const stopped = stop();
  // What the stop does in this turn comes before; the loop takes a connection in its next turn.
  await nextImmediate();
  client.postMessage('connect');
  Atomics.wait(isConnected, 0, 0, 60_000);
  // Longer than the shortest timer takes.
  for (const until = performance.now() + 2; performance.now() < until; );
  const [answer] = await answered;
  await stopped;
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
});
