import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { sleep, startReceiver, until, webhookParts } from './webhooks-parts.ts';

/** A way to the database that can be cut: nothing of the driver or the database is replaced. */
const sockets = new Set<Socket>();
let isCut = false;
const way = createServer((socket) => {
  if (isCut) return socket.destroy();
  const [, host = ''] = /^mongodb:\/\/([^/?]+)/.exec(inject('mongodbUrl')) ?? [];
  const path = decodeURIComponent(host);
  const [name = '', port = '27017'] = path.split(':');
  const database = path.startsWith('/') ? connect(path) : connect(Number(port), name);
  for (const end of [socket, database]) {
    sockets.add(end);
    end
      .on('error', () => undefined)
      .once('close', () => {
        sockets.delete(end);
        socket.destroy();
        database.destroy();
      });
  }
  socket.pipe(database).pipe(socket);
});

beforeAll(async () => {
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
});
afterAll(() => {
  way.close();
});

const cut = (): void => {
  isCut = true;
  for (const socket of sockets) socket.destroy();
};

const start = webhookParts(() => {
  const { port } = way.address() as AddressInfo;
  return `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=1000`;
});

test('while the database is gone sending waits; then it goes on by itself, and nothing is lost', async () => {
  const { subscribe, happen, rows } = await start({
    timing: { beatEvery: 100, deadAfter: 800 },
    // Here only the database is at fault: a busy machine must not look like a receiver that fails.
    env: { WEBHOOK_TIMEOUT: '30s' },
  });
  let isSlow = true;
  const receiver = await startReceiver(() => (isSlow ? sleep(200) : undefined));
  const uuid = await subscribe(receiver.url);
  await happen(Array.from({ length: 60 }, (_, n) => ({ n })));
  await until(() => receiver.hits.length >= 8);
  cut();
  await sleep(1_500);
  const atRest = receiver.hits.length;
  expect(atRest).toBeLessThan(60);
  await sleep(1_500);
  // The lease could not be renewed: whoever can't say that it is the owner sends nothing.
  expect(receiver.hits.length).toBe(atRest);
  await expect(happen({ n: 'lost' })).rejects.toThrow();
  isSlow = false;
  isCut = false;
  await vi.waitFor(
    async () => {
      const late = (await rows(uuid)).filter(({ state }) => state !== 'delivered');
      expect(late.map(({ state, attempts }) => ({ state, attempts }))).toEqual([]);
    },
    { timeout: 60_000, interval: 50 },
  );
  expect(await rows(uuid)).toHaveLength(60);
  const received = new Set(receiver.hits.map(({ json }) => json.data.n));
  expect(received.size).toBe(60);
  // What was under way when the database went is recorded when it is back, and not sent again.
  expect(receiver.hits.length).toBe(60);
});
