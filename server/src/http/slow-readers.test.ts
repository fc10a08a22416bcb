import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Koa from 'koa';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chunkedResponse } from './chunked-response.ts';
import { createClientAddress } from './client-address.ts';
import type { State } from './context.ts';
import { prepare } from './held-bodies.ts';
import { cutSlowReaders } from './slow-readers.ts';
import { beyondBounds, type UnreadBounds } from './unread-bounds.ts';

/** More than the system's own buffers take of it. */
const PAGE_BYTES = 12 * 1_048_576;

/** A server behind one proxy: /page is made for each request, /file is one for all. */
const startServer = async (bounds: UnreadBounds) => {
  const app = new Koa<State>();
  app.use(chunkedResponse);
  const file = prepare(Buffer.alloc(PAGE_BYTES));
  app.use((ctx) => {
    ctx.body = ctx.path === '/file' ? file : Buffer.alloc(PAGE_BYTES);
  });
  app.on('error', () => undefined);
  const server = createServer(app.callback());
  const stopCutting = cutSlowReaders(
    server,
    { timeout: 60_000, clientAddress: createClientAddress(1), bounds, lookEvery: 50 },
    pino({ level: 'silent' }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    stopCutting();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;

  /** A client that takes a little all the time, until it is told to take the rest. */
  const reader = async (from: string, path = '/page') => {
    const socket: Socket = connect(port, '127.0.0.1').pause();
    const client = { isCut: false, read: 0, take: (): unknown => socket.resume() };
    socket.on('error', () => {
      client.isCut = true;
    });
    const count = (bytes: Buffer | null) => {
      client.read += bytes?.length ?? 0;
    };
    const slowly = setInterval(() => count(socket.read(4_096)), 20);
    client.take = () => {
      clearInterval(slowly);
      socket.on('data', count).resume();
    };
    onTestFinished(() => {
      clearInterval(slowly);
      socket.destroy();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${from}\r\n\r\n`);
    // On a busy machine others may be there before it has read anything.
    await expect.poll(() => client.isCut || client.read > 0).toBe(true);
    return client;
  };
  const cutOf = (clients: readonly { isCut: boolean }[]) => clients.filter(({ isCut }) => isCut).length;
  return { reader, cutOf };
};

const readers = (
  count: number,
  make: (n: number) => ReturnType<Awaited<ReturnType<typeof startServer>>['reader']>,
) => Promise.all(Array.from({ length: count }, (_, n) => make(n)));

describe('clients that read slowly', () => {
  it('are cut off beyond what may wait for one address, and nobody else is', async () => {
    const { reader, cutOf } = await startServer({ ofAddress: 3 * PAGE_BYTES, together: 100 * PAGE_BYTES });
    const phone = await reader('192.0.2.1');
    // One network of IPv6 is one client.
    const many = await readers(8, (n) => reader(`2001:db8:1:2::${n}`));
    await expect.poll(() => cutOf(many)).toBe(5);
    phone.take();
    await expect.poll(() => phone.read).toBeGreaterThan(PAGE_BYTES);
    const left = many.find(({ isCut }) => !isCut);
    left?.take();
    await expect.poll(() => left?.read).toBeGreaterThan(PAGE_BYTES);
    expect([cutOf(many), phone.isCut]).toEqual([5, false]);
  });

  it('are cut off beyond what may wait together, of the addresses that hold the most', async () => {
    const { reader, cutOf } = await startServer({ ofAddress: 3 * PAGE_BYTES, together: 6 * PAGE_BYTES });
    const phone = await reader('192.0.2.1');
    const many = await readers(9, (n) => reader(`198.51.100.${n % 3}`));
    await expect.poll(() => cutOf(many)).toBe(4);
    phone.take();
    await expect.poll(() => phone.read).toBeGreaterThan(PAGE_BYTES);
    expect([cutOf(many), phone.isCut]).toEqual([4, false]);
  });

  it('are left alone with what one copy is kept of for all', async () => {
    const { reader, cutOf } = await startServer({ ofAddress: 2 * PAGE_BYTES, together: 2 * PAGE_BYTES });
    const many = await readers(12, () => reader('192.0.2.1', '/file'));
    const pages = await readers(4, () => reader('192.0.2.1'));
    await expect.poll(() => cutOf(pages)).toBeGreaterThan(1);
    for (const one of many) one.take();
    await expect.poll(() => many.every(({ read }) => read > PAGE_BYTES), { timeout: 10_000 }).toBe(true);
  });
});

describe('what is cut off beyond a bound', () => {
  const bounds = { ofAddress: 100, together: 150 };
  const names = (unread: ReturnType<typeof one>[]) =>
    beyondBounds(unread, bounds, 1_000).map(({ name }) => name);
  const one = (name: string, address: string, bytes: number, since: number) => ({
    name,
    address,
    bytes,
    since,
  });

  it('is what has held the most for the longest', () => {
    expect(names([one('a', 'x', 60, 900), one('b', 'x', 60, 100), one('c', 'x', 20, 100)])).toEqual(['b']);
  });

  it('is nothing within the bounds, and nothing that has just come', () => {
    expect(names([one('a', 'x', 90, 0), one('b', 'y', 60, 0)])).toEqual([]);
    expect(names([one('a', 'x', 500, 1_001)])).toEqual([]);
    expect(names([one('a', 'x', 500, 1_001), one('b', 'x', 50, 0), one('c', 'y', 50, 0)])).toEqual([]);
  });
});
