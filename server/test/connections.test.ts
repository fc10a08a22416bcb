import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MAX_SMALL_CHUNKS } from '../src/http/body-chunks.ts';
import { caller, owner } from './rest.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';

const JSON_TYPE = 'Content-Type: application/json\r\n';

it.runIf(process.platform === 'linux')(
  'silent connections end after 10 s, and never use up what the server needs itself',
  async () => {
    const limited = ['sh', '-c', `ulimit -n 512; exec "${process.execPath}" "${MAIN}"`] as const;
    const server = await startServerProcess(await serverSettings(), limited);
    const port = Number(new URL(server.url).port);
    const started = performance.now();
    const sockets = Array.from({ length: 600 }, () =>
      connect(port, '127.0.0.1').on('error', () => undefined),
    );
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    const spoken = sockets[0];
    spoken?.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    const ends = sockets.slice(1).map(async (socket) => {
      await once(socket.resume(), 'close');
      return performance.now() - started;
    });
    expect(String((await once(spoken ?? expect.fail(), 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
    const times = await Promise.all(ends);
    // Those beyond the limit at once, the others when they have said nothing for 10 s.
    expect(times.filter((time) => time < 8_000).length).toBeGreaterThan(200);
    expect(times.filter((time) => time > 8_000).length).toBeGreaterThan(100);
    expect(Math.max(...times)).toBeLessThan(30_000);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(server.stderr()).not.toContain('EMFILE');
  },
  60_000,
);

it.runIf(process.platform === 'linux').each([
  ['silent', ''],
  ['slow', `POST /api/v1/auth/api-token HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n${JSON_TYPE}\r\n{`],
])(
  'one address with all connections there may be, %s, shuts nobody out',
  async (_, first) => {
    const limited = ['sh', '-c', `ulimit -n 512; exec "${process.execPath}" "${MAIN}"`] as const;
    const { url } = await startServerProcess(await serverSettings(), limited);
    const port = Number(new URL(url).port);
    const sockets = Array.from({ length: 400 }, () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on(
        'error',
        () => undefined,
      );
      socket.write(first);
      return socket.resume();
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    // Those beyond the limit are closed: there are as many as may be.
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBeGreaterThan(100);
    const visit = async (): Promise<string> => {
      const visitor = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' }).on(
        'error',
        () => undefined,
      );
      onTestFinished(() => void visitor.destroy());
      visitor.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      return String((await Promise.race([once(visitor, 'data'), once(visitor, 'close')]))[0]);
    };
    for (let n = 0; n < 20; n++) {
      await expect.poll(visit, { timeout: 5_000 }).toMatch(/^HTTP\/1.1 200 /);
    }
    // Most of the others are still there.
    expect(sockets.filter(({ closed }) => !closed).length).toBeGreaterThan(200);
  },
  60_000,
);

it('an idle connection lives longer than nginx, as it is documented, keeps one', async () => {
  const { url } = await startServerProcess(await serverSettings());
  const [, kept] =
    /^timeout=(\d+)$/.exec((await fetch(`${url}/healthz`)).headers.get('keep-alive') ?? '') ?? [];
  const file = fileURLToPath(new URL('../../docs/proxies/nginx.conf', import.meta.url));
  const [, reused] = /^upstream [^}]* keepalive_timeout (\d+)s;/m.exec(await readFile(file, 'utf8')) ?? [];
  expect([kept, reused]).toEqual(['5', '4']);
});

it('a refused upgrade ends whether or not the client closes its half', async () => {
  const { url } = await startServerProcess(await serverSettings());
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let failure: string | undefined;
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    failure = code;
  });
  socket.write('GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 404 /);
  await once(socket, 'end');
  await vi.waitFor(
    () => {
      socket.write('x');
      expect(failure).toMatch(/^(ECONNRESET|EPIPE)$/);
    },
    { timeout: 60_000 },
  );
});

it('offers of another protocol cost a connection nothing, and never hang it', async () => {
  const server = await startServerProcess(await serverSettings());
  const offer =
    'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n';
  const open = () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  const patient = open();
  for (let n = 0; n < 20; n++) {
    patient.write(offer);
    expect(String((await once(patient, 'data'))[0])).toMatch(/^HTTP\/1.1 200 [\s\S]*"alive"}$/);
  }
  const hasty = open().resume();
  hasty.write(offer.repeat(10));
  await once(hasty, 'close');
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(server.stderr()).not.toContain('MaxListenersExceededWarning');
});

it('a large response adds nothing to the log that is no JSON, and no warning of a leak', async () => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { rest } = await owner(server.url);
  const { uuid } = (await rest('POST', '/api/v1/rooms/', {})).json;
  const message = { body: 'x'.repeat(9_000), is_support_sender: true, room: { uuid } };
  for (let n = 0; n < 10; n++) expect((await rest('POST', '/api/v1/messages/', message)).status).toBe(201);
  for (let n = 0; n < 3; n++) expect((await rest('GET', '/api/v1/messages/')).json).toHaveLength(10);
  await server.end('SIGTERM');
  const lines = server.stderr().split('\n').filter(Boolean);
  expect(lines.map((line) => JSON.parse(line)).filter(({ err }) => err)).toEqual([]);
});

it('a body in more small chunks than it may have is refused before it has come, also where nobody reads it', async () => {
  const { url } = await startServerProcess(await serverSettings());
  const answerTo = async (path: string, pieces: number) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(pieces)}`);
    if (pieces <= MAX_SMALL_CHUNKS) socket.write('0\r\n\r\n');
    return String((await once(socket, 'data'))[0]);
  };
  const path = '/api/v1/auth/api-token';
  expect(await answerTo(path, MAX_SMALL_CHUNKS)).toMatch(/^HTTP\/1.1 400 [\s\S]*JSON parse error/);
  const refused = await answerTo(path, MAX_SMALL_CHUNKS + 1);
  expect(refused).toMatch(/^HTTP\/1.1 413 [\s\S]*{"detail":"Request body comes in more than 2048 chunks/);
  expect(refused).toMatch(/\r\nX-Request-Id: /i);
  expect(refused).toMatch(/\r\nConnection: close\r\n/i);
  expect(await answerTo('/nowhere', MAX_SMALL_CHUNKS + 1)).toMatch(/^HTTP\/1.1 404 [\s\S]*Connection: close/);
  const agents = await answerTo('/api/v1/public/conversations/start', MAX_SMALL_CHUNKS + 1);
  expect(agents).toMatch(/^HTTP\/1.1 413 [\s\S]*{"error":"/);
  expect(agents).toMatch(/\r\nAccess-Control-Allow-Origin: \*\r\n/i);
  // Compressed, it decompresses to nothing.
  const { widget } = await owner(url);
  const { token } = (await caller(url)('POST', `/api/v1/widgets/${widget}/sessions/`, {})).json;
  const nothing = Buffer.concat(Array.from({ length: 20_000 }, () => gzipSync('')));
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST /api/v1/messages/ HTTP/1.1\r\nHost: a\r\nAuthorization: Visitor ${token}\r\nContent-Encoding: gzip\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  socket.write(`${nothing.length.toString(16)}\r\n`);
  socket.write(nothing);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 413 [\s\S]*larger than 262144 bytes/);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

it('a body that is refused behind another request waits for its turn', async () => {
  const { url } = await startServerProcess(await serverSettings());
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const { rest, token } = await owner(url);
  const { uuid: room } = (await rest('POST', '/api/v1/rooms/', {})).json;
  for (let n = 0; n < 20; n++) {
    await rest('POST', '/api/v1/messages/', { body: 'x'.repeat(2_000), room: { uuid: room } });
  }
  const head = `HTTP/1.1\r\nHost: a\r\nAuthorization: Token ${token}\r\n`;
  const pieces = '1\r\n \r\n'.repeat(MAX_SMALL_CHUNKS + 1);
  socket.write(
    `GET /api/v1/messages/ ${head}\r\nPOST /api/v1/rooms/ ${head}Content-Type: application/json\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n${pieces}`,
  );
  let answers = '';
  socket.on('data', (data) => {
    answers += data;
  });
  await once(socket, 'close');
  expect(answers).toMatch(
    /^HTTP\/1.1 200 [\s\S]*}\]HTTP\/1.1 413 [\s\S]*2048 chunks of less than 1024 bytes\."}$/,
  );
});

it('a request that expects something else is answered like any other', async () => {
  const { url } = await startServerProcess(await serverSettings());
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: gold\r\n\r\n');
  expect(String((await once(socket, 'data'))[0])).toMatch(
    /^HTTP\/1.1 200 [\s\S]*X-Request-Id: [\s\S]*"alive"}$/i,
  );
});

it.each([
  ['zeros before the size of a chunk', '/api/v1/auth/api-token', '0'],
  ['zeros there where nothing reads the body', '/nowhere', '0'],
  ['blank lines before a request', undefined, '\r\n'],
])(
  'a connection that sends %s without end is closed, long before its time is over',
  async (_, path, piece) => {
    const server = await startServerProcess({ ...(await serverSettings()), LOG_LEVEL: 'info' });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    if (path) {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
    }
    const block = piece.repeat(65_536 / piece.length);
    const pour = (): void => {
      for (let n = 0; n < 64 && !socket.destroyed; n++) if (!socket.write(block)) return;
      if (!socket.destroyed) setImmediate(pour);
    };
    socket.on('drain', pour);
    pour();
    await vi.waitFor(() => expect(socket.closed).toBe(true), { timeout: 45_000 });
    // In time it would be gigabytes, and a 408.
    expect(socket.bytesWritten).toBeLessThan(1_000_000_000);
    expect(answer).toBe('');
    await vi.waitFor(
      () => expect(server.stderr()).toContain('cut off a client that sends what is no part'),
      20_000,
    );
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  },
  60_000,
);
