import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AUTHORITY, VALID } from '../../test/webhooks-certificates.ts';
import { reasonOf } from './failure-reasons.ts';
import { createOutgoing, neverConnected } from './outgoing.ts';

const BOUND = 64 * 1024;
const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const FLOODED = `the answer takes more than ${BOUND} bytes on the wire`;

/** A server that talks as it likes, once for each request, and the way out to it. */
const startTalking = async (talk: (socket: Socket) => void, isSecure = false) => {
  const opened: Socket[] = [];
  const onConnection = (socket: Socket) => {
    opened.push(socket);
    socket.on('error', () => undefined).on('data', () => talk(socket));
  };
  const server = isSecure ? createTlsServer(VALID, onConnection) : createServer(onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outgoing = createOutgoing({
    allowPrivate: true,
    ca: AUTHORITY,
    connectTimeout: 10_000,
    maxResponseBytes: BOUND,
  });
  onTestFinished(async () => {
    for (const socket of opened) socket.destroy();
    server.close();
    await outgoing.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const origin = `http${isSecure ? 's' : ''}://127.0.0.1:${address.port}`;
  const ask = async (body = '', signal?: AbortSignal) => {
    const asked = { origin, path: '/', method: 'POST', body, ...(signal && { signal }) } as const;
    const answer = await outgoing.request(asked);
    return answer.body.text();
  };
  return { opened, ask };
};

const pour = (socket: Socket, block: string): void => {
  while (!socket.destroyed && socket.writable) {
    if (!socket.write(block)) return void socket.once('drain', () => pour(socket, block));
  }
};

describe.each([
  ['HTTP', false],
  ['HTTPS', true],
])('%s', (_, isSecure) => {
  it.each([
    ['informational responses', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(500), ''],
    ['a body', '10000\r\n'.concat('x'.repeat(65_536), '\r\n'), HEAD],
    ['an extension of a chunk', 'x'.repeat(65_536), `${HEAD}5;`],
    ['zeros before the size of a chunk', '0'.repeat(65_536), HEAD],
  ])('reads no more than its bound of %s without end', async (_what, block, begin) => {
    const { ask, opened } = await startTalking((socket) => {
      socket.write(begin);
      pour(socket, block);
    }, isSecure);
    expect(reasonOf(await ask().catch((error) => error))).toBe(FLOODED);
    await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('counts anew for each request of a connection', async () => {
    const body = 'x'.repeat(BOUND - 1_024);
    const { ask, opened } = await startTalking((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    }, isSecure);
    for (let request = 0; request < 10; request++) expect(await ask(`${request}`)).toBe(body);
    // Each has carried several: a pool may open another before the first one is free again.
    expect(opened.length).toBeLessThan(4);
  });
});

it.each([
  ['headers', 'HTTP/1.1 200 OK\r\n', 'A: b\r\n'.repeat(10_000)],
  ['trailers', `${HEAD}0\r\n`, 'A: b\r\n'.repeat(10_000)],
])('reads %s without end no further than its bound', async (_, begin, block) => {
  const { ask, opened } = await startTalking((socket) => {
    socket.write(begin);
    pour(socket, block);
  });
  expect(reasonOf(await ask().catch((error) => error))).toMatch(/^(headers are too large|the answer takes)/);
  await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true]);
});

describe('whether there was a connection', () => {
  const wayOut = (options: { allowPrivate: boolean; dnsServers?: string[] }) => {
    const outgoing = createOutgoing({ connectTimeout: 2_000, maxResponseBytes: BOUND, ...options });
    onTestFinished(() => outgoing.destroy());
    return outgoing;
  };
  const failureOf = (origin: string, options: Parameters<typeof wayOut>[0]) =>
    wayOut(options)
      .request({ origin, path: '/', method: 'GET' })
      .then(
        () => undefined,
        (error: Error) => error,
      );

  it.each([
    ['an address that is not public', 'http://10.0.0.5:8000', { allowPrivate: false }],
    ['a port that is not allowed', 'http://127.0.0.1:25', { allowPrivate: true }],
    ['a port at which nobody listens', 'http://127.0.0.1:9', { allowPrivate: true }],
    // Nobody answers there.
    ['a name that nobody tells', 'http://x.invalid', { allowPrivate: false, dnsServers: ['127.0.0.1:9'] }],
  ])('is said of %s: none', async (_, origin, options) => {
    const error = await failureOf(origin, options);
    expect(error).toBeInstanceOf(Error);
    expect(neverConnected(error as Error)).toBe(true);
  });

  it('is said of one that is given up while its connection is being made: none', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const over = new AbortController();
    const asked = wayOut({ allowPrivate: true }).request({
      origin: `https://127.0.0.1:${port}`,
      path: '/',
      method: 'GET',
      signal: over.signal,
    });
    await once(silent, 'connection');
    over.abort(new Error('that was enough'));
    const error = await asked.catch((reason: Error) => reason);
    expect(error).toMatchObject({ message: 'that was enough' });
    expect(neverConnected(error as Error)).toBe(true);
  });

  it('is said of one that is given up while it is answered: there was', async () => {
    const over = new AbortController();
    const { ask } = await startTalking(() => over.abort(new Error('that was enough')));
    const error = await ask('', over.signal).catch((reason: Error) => reason);
    expect(error).toMatchObject({ message: 'that was enough' });
    expect(neverConnected(error as Error)).toBe(false);
  });

  it('is said of one that is cut: there was', async () => {
    const { ask } = await startTalking((socket) => socket.destroy());
    const error = await ask().catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(neverConnected(error as Error)).toBe(false);
  });
});

it('asks the system once for a name that many ask for at once, and not at once again where it failed', async () => {
  const lookups = vi.spyOn(dns, 'lookup');
  onTestFinished(() => lookups.mockRestore());
  const outgoing = createOutgoing({ allowPrivate: true, connectTimeout: 10_000, maxResponseBytes: BOUND });
  onTestFinished(() => outgoing.destroy());
  const ask = (host: string, port: number) =>
    outgoing.request({ origin: `http://${host}:${port}`, path: '/', method: 'GET' }).then(
      () => 'answered',
      () => 'failed',
    );
  // An origin has a pool of its own, each with its connections.
  const all = await Promise.all(Array.from({ length: 16 }, (_, n) => ask('nobody.invalid', 8_000 + n)));
  expect(new Set(all)).toEqual(new Set(['failed']));
  expect(lookups).toHaveBeenCalledTimes(1);
  expect(await ask('nobody.invalid', 9_000)).toBe('failed');
  expect(lookups).toHaveBeenCalledTimes(1);
  await vi.waitFor(
    async () => {
      await ask('nobody.invalid', 9_001);
      expect(lookups).toHaveBeenCalledTimes(2);
    },
    { timeout: 20_000, interval: 100 },
  );
});
