import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, inject, it, type TestContext } from 'vitest';
import { startServerProcess } from './server-process.ts';
import { MIB, smallDisk } from './small-disk.ts';

const WEBHOOKS = 20;

/** A server with a room in which as many messages were said as the disk takes: most of their events still wait. */
const startWithBacklog = async (context: TestContext) => {
  const disk = await smallDisk(44 * MIB);
  if (disk === undefined) return context.skip('a small disk can be mounted by root only');
  const settings = { PORT: '0', DATA_DIR: join(disk, 'data'), RATE_LIMIT: 'off', METRICS_TOKEN: 'm' };
  const server = await startServerProcess({ ...settings, WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'info' });
  const token = /API token {3}([0-9a-f]{40})/.exec(server.stdout())?.[1];
  const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
  const api = (method: string, path: string, body?: object) =>
    fetch(`${server.url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const webhooks = await Promise.all(
    Array.from({ length: WEBHOOKS }, (_, n) =>
      api('POST', '/webhooks/', { event: 'message.added', target: `http://127.0.0.1:49999/${n}` }),
    ),
  );
  expect(new Set(webhooks.map(({ status }) => status))).toEqual(new Set([201]));
  const room = (await (await api('POST', '/rooms/')).json()) as { uuid: string; label: string };
  let said = 0;
  const writers = Array.from({ length: 30 }, async () => {
    for (;;) {
      const body = { body: '🦉'.repeat(9_999), room: { uuid: room.uuid } };
      const { status } = await api('POST', '/messages/', body);
      if (status !== 201) return;
      said++;
    }
  });
  await Promise.all(writers);
  const metrics = async () =>
    await (await fetch(`${server.url}/metrics`, { headers: { Authorization: 'Bearer m' } })).text();
  /** A count that the busy database takes too long for is left out, and asked for again. */
  const metric = async (name: string): Promise<number> => {
    const line = (await metrics()).split('\n').find((one) => one.startsWith(`${name} `));
    return line === undefined ? metric(name) : Number(line.slice(name.length));
  };
  const make = (bytes: number) => execFileSync('mount', ['-o', `remount,size=${bytes}`, disk]);
  return { server, api, room, said, metric, make };
};

const waiting = (collection: string) => `parlor_outbox_waiting{collection="${collection}"}`;

it.skipIf(inject('isRealMongodb'))(
  'of a backlog of events goes out what fits, in order, and the rest when there is room',
  { timeout: 300_000 },
  async (context) => {
    const { server, said, metric, make } = await startWithBacklog(context);
    const pending = () => metric('parlor_deliveries_pending');
    const isReady = async () => (await fetch(`${server.url}/readyz`)).status === 200;

    // Now there is room for some of them, and then it says that it is full again.
    const before = await pending();
    expect(before).toBeLessThan(said * WEBHOOKS);
    make(64 * MIB);
    await expect.poll(pending, { timeout: 60_000 }).toBeGreaterThan(before + 2 * WEBHOOKS);
    await expect.poll(isReady, { timeout: 60_000 }).toBe(false);
    expect(await metric('parlor_database_free_bytes')).toBeGreaterThan(4 * MIB);
    make(2_048 * MIB);
    await expect.poll(pending, { timeout: 120_000 }).toBe(said * WEBHOOKS);
    await expect.poll(() => metric(waiting('messages')), { timeout: 60_000 }).toBe(0);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
);

it.skipIf(inject('isRealMongodb'))(
  'a room with a backlog of events is deleted on a full disk, and no event is lost',
  { timeout: 600_000 },
  async (context) => {
    const { server, api, room, said, metric, make } = await startWithBacklog(context);
    const wait = await metric(waiting('messages'));
    expect(wait * 40_000).toBeGreaterThan(4 * MIB);
    expect((await api('DELETE', `/rooms/${room.label}/`)).status).toBe(204);
    expect(await metric(waiting('messages'))).toBe(0);
    make(2_048 * MIB);
    await expect.poll(() => metric(waiting('tombstones')), { timeout: 240_000 }).toBe(0);
    await expect.poll(() => metric('parlor_deliveries_pending'), { timeout: 240_000 }).toBe(said * WEBHOOKS);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
);
