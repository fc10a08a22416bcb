import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../platform/log.ts';
import { createClientAddress, createIsProxy } from './client-address.ts';
import { shareConnections } from './connection-shares.ts';

const MAX = 20;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const BODY = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{';
/** More than the system's own buffers take of it. */
const LARGE = Buffer.alloc(12 * 1_048_576);

/** A server that holds 20 connections: /wait waits for its end, /large is what a client may read, the rest is answered. */
const listen = async ({ isBehindProxy = false, maxConnections = MAX } = {}) => {
  const waiting: ServerResponse[] = [];
  let begun = 0;
  const server = createServer((request, response) => {
    begun++;
    if (request.url === '/wait') waiting.push(response);
    else if (request.url === '/stream') response.write('event: begun\n\n');
    else if (request.url === '/large') response.end(LARGE);
    else request.resume().once('end', () => response.end('ok'));
  });
  const proxies = isBehindProxy ? 1 : false;
  const clients = { isProxy: createIsProxy(proxies), clientAddress: createClientAddress(proxies) };
  shareConnections(server, { maxConnections, ...clients }, createLog('silent'));
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** @param host its address, of those of this machine */
  const open = async (host: number, first = '') => {
    const taken = once(server, 'connection');
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${host}` });
    const client = {
      answer: '',
      isClosed: false,
      write: (more: string) => socket.write(more),
      read: () => socket.resume(),
    };
    const over = () => {
      client.isClosed = true;
    };
    socket.on('error', over).on('close', over);
    // A large response is not read.
    if (!first.includes('/large')) {
      socket.on('data', (bytes) => {
        client.answer += bytes;
      });
    }
    onTestFinished(() => void socket.destroy());
    socket.write(first);
    await taken;
    return client;
  };
  type Client = Awaited<ReturnType<typeof open>>;
  const fill = async (count: number, host: number, first = ''): Promise<Client[]> => {
    const clients: Client[] = [];
    for (let n = 0; n < count; n++) clients.push(await open(host, first));
    return clients;
  };
  /** Comes again until it is answered. */
  const visit = async (host: number) => {
    await expect
      .poll(
        async () => {
          const client = await open(host, GET);
          await expect.poll(() => client.answer !== '' || client.isClosed).toBe(true);
          return client.answer;
        },
        { timeout: 20_000 },
      )
      .toMatch(/^HTTP\/1.1 200/);
  };
  return { open, fill, visit, waiting, begun: () => begun };
};

const closed = (clients: readonly { isClosed: boolean }[]): number[] =>
  clients.flatMap(({ isClosed }, n) => (isClosed ? [n] : []));

// Other systems have one loopback address.
describe.runIf(process.platform === 'linux')('connections, once there are as many as may be', () => {
  it('are closed for others where one address has the most, the longest idle one first', async () => {
    const { open, fill } = await listen();
    const few = await fill(2, 3);
    const many = await fill(MAX - 2, 2);
    many[0]?.write(GET);
    await expect.poll(() => many[0]?.answer).toMatch(/200/);
    for (const host of [4, 5, 6]) {
      const visitor = await open(host, GET);
      await expect.poll(() => visitor.answer).toMatch(/^HTTP\/1.1 200/);
    }
    await expect.poll(() => closed(many)).toEqual([1, 2, 3]);
    expect(closed(few)).toEqual([]);
  });

  it('leave no room at once to who has the most of them, and some to who comes later', async () => {
    const { open, fill, visit } = await listen();
    const many = await fill(MAX, 2);
    const next = await open(2, GET);
    await expect.poll(() => next.isClosed).toBe(true);
    expect([next.answer, closed(many)]).toEqual(['', []]);
    await visit(2);
    await expect.poll(() => closed(many)).toEqual([0]);
  });

  it('go on where a request is worked on, or events and frames come', async () => {
    const { open, fill, visit, waiting } = await listen();
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const many = [
      ...(await fill(6, 2, GET.replace('/', '/wait'))),
      ...(await fill(7, 2, GET.replace('/', '/stream'))),
      ...(await fill(7, 2, GET.replace('\r\n\r\n', `\r\n${upgrade}`))),
    ];
    await expect.poll(() => many.filter(({ answer }) => answer !== '').length).toBe(14);
    const next = await open(3, GET);
    await expect.poll(() => next.isClosed).toBe(true);
    expect([next.answer, closed(many)]).toEqual(['', []]);
    for (const response of waiting) response.end('at last');
    await visit(3);
    expect(many.filter(({ answer }) => answer.includes('at last'))).toHaveLength(6);
    expect(closed(many.slice(6))).toEqual([]);
  });

  it.each([
    ['bodies that do not come', BODY, MAX],
    ['responses that nobody reads', GET.replace('/', '/large'), MAX],
    ['heads that do not end', GET.slice(0, -2), 2],
  ])('are closed for others that have %s', async (_, first, requests) => {
    const { fill, visit, begun } = await listen();
    const few = await fill(2, 3, BODY);
    const many = await fill(MAX - 2, 2, first);
    await expect.poll(begun).toBe(requests);
    // Whoever has just sent a request does not go yet, and one of the few would.
    await sleep(1_100);
    await visit(4);
    // Whoever does not read does not hear of it, either.
    many[0]?.read();
    await expect.poll(() => closed(many)).toEqual([0]);
    expect(closed(few)).toEqual([]);
  });

  it.each([
    ['of an address', false, GET.replace('/', '/wait')],
    [
      'of a client behind a proxy',
      true,
      GET.replace('/', '/wait').replace('Host', 'X-Forwarded-For: 192.0.2.2\r\nHost'),
    ],
  ])('are closed for others where they are worked on beyond a share %s', async (_, isBehindProxy, first) => {
    const maxConnections = 90;
    const { fill, visit, begun, waiting } = await listen({ isBehindProxy, maxConnections });
    const few = await fill(maxConnections - 66, 3, first.replace('192.0.2.2', '192.0.2.3'));
    const many = await fill(66, 2, first);
    await expect.poll(begun).toBe(maxConnections);
    await visit(4);
    await visit(5);
    await expect.poll(() => closed(many)).toEqual([64, 65]);
    // Those that it is left with go on, and nobody else's go for them.
    await fill(2, 4, first.replace('192.0.2.2', '192.0.2.4'));
    for (const response of waiting) response.end('at last');
    await expect.poll(() => many.filter(({ answer }) => answer.includes('at last')).length).toBe(64);
    expect(closed(few)).toEqual([]);
  });

  it('of a proxy are of whom the request under way came from, and not of whoever came before', async () => {
    const maxConnections = 90;
    const { open, fill, begun } = await listen({ isBehindProxy: true, maxConnections });
    const from = (client: string, path = '/') =>
      GET.replace('/', path).replace('Host', `X-Forwarded-For: ${client}\r\nHost`);
    const all = await fill(maxConnections, 2, from('192.0.2.2'));
    await expect.poll(() => all.filter(({ answer }) => answer !== '').length).toBe(maxConnections);
    for (const [n, one] of all.entries()) one.write(from(`198.51.100.${n}`, '/wait'));
    await expect.poll(begun).toBe(2 * maxConnections);
    // Nobody has more than one at work.
    const next = await open(2, from('192.0.2.3'));
    await expect.poll(() => next.isClosed).toBe(true);
    expect([next.answer, closed(all)]).toEqual(['', []]);
  });

  it('go by no address behind a proxy', async () => {
    const { open, fill, visit } = await listen({ isBehindProxy: true });
    const first = await fill(1, 3);
    const many = await fill(MAX - 1, 2);
    const next = await open(4, GET);
    await expect.poll(() => next.isClosed).toBe(true);
    await visit(4);
    await expect.poll(() => [...closed(first), ...closed(many)]).toEqual([0]);
    expect(closed(first)).toEqual([0]);
  });
});
