import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startDatabase } from './frozen-server.ts';
import { startServerProcess } from './server-process.ts';

const SECRET_KEY = 'a secret key for the tests only, 40 long';

it.skipIf(process.platform === 'win32').each([
  ['just before', 200],
  ['long before', 15_000],
])('stops as it should on a database that froze %s', { timeout: 120_000 }, async (_, before) => {
  const database = await startDatabase();
  const server = await startServerProcess({ PORT: '0', MONGODB_URL: database.url, SECRET_KEY });
  database.process.kill('SIGSTOP');
  await sleep(before);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

/** A way to a database, on which each reply takes that long from a moment on. */
const startSlowWay = async (url: string) => {
  const [, host = ''] = /^mongodb:\/\/([^/]+)/.exec(url) ?? [];
  const [name = '', port = '27017'] = decodeURIComponent(host).split(':');
  let delay = 0;
  const server = createServer((socket) => {
    const inner = name.startsWith('/') ? connect(name) : connect(Number(port), name);
    socket.on('error', () => undefined).on('close', () => inner.destroy());
    inner.on('error', () => undefined).on('close', () => socket.destroy());
    socket.pipe(inner);
    inner.on('data', (chunk) => void setTimeout(() => socket.write(chunk), delay));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/parlor?directConnection=true`,
    slowDown: (ms: number) => {
      delay = ms;
    },
  };
};

it.skipIf(process.platform === 'win32')(
  'stops as it should on a database that takes long for each reply',
  { timeout: 120_000 },
  async () => {
    const way = await startSlowWay((await startDatabase()).url);
    const server = await startServerProcess({ PORT: '0', MONGODB_URL: way.url, SECRET_KEY });
    way.slowDown(3_000);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
);
