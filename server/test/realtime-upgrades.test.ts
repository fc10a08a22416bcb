import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { REALTIME_PATH } from '@parlor/shared';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { beginConversation } from './realtime-parts.ts';
import { useServer } from './shared-server.ts';

const server = useServer();
const METRICS_TOKEN = 'a-token-for-the-numbers-of-this-test';
const full = useServer({ RATE_LIMIT: 'on', REALTIME_CONNECTIONS: '1', LOG_LEVEL: 'info', METRICS_TOKEN });
const begin = () => beginConversation(server());

const raw = async (url: string, request: string): Promise<string> => {
  const { port } = new URL(url);
  const socket = connectTcp(Number(port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    // Nothing ends a connection that has become a WebSocket.
    if (text.startsWith('HTTP/1.1 101')) socket.destroy();
  });
  socket.write(request);
  await once(socket, 'close');
  return text;
};

const HANDSHAKE = {
  Host: 'localhost',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** A request for a WebSocket, with other headers than it has. */
const handshake = (target: string, other: Record<string, string> = {}, method = 'GET'): string => {
  const lines = Object.entries({ ...HANDSHAKE, ...other }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
};

describe('a request for a WebSocket', () => {
  it.each([
    '/API/v1/RealTime',
    `${REALTIME_PATH}/?a=b`,
    `http://localhost${REALTIME_PATH}`,
    `http://localhost/API/v1/realtime/?a=b`,
  ])('is taken at %s, as routes take it', async (target) => {
    expect(await raw(server().url, handshake(target))).toMatch(/^HTTP\/1\.1 101 /);
  });

  it.each<[string, string, string, RegExp]>([
    ['another path', handshake('/api/v1/rooms/'), '404 Not Found', /^Not found\.$/],
    ['no URL', handshake('http://[/'), '400 Bad Request', /not a valid URL/],
    ['another method', handshake(REALTIME_PATH, {}, 'PUT'), '405 Method Not Allowed', /PUT/],
    [
      'another version',
      handshake(REALTIME_PATH, { 'Sec-WebSocket-Version': '7' }),
      '400 Bad Request',
      /Version/,
    ],
    ['no key', handshake(REALTIME_PATH, { 'Sec-WebSocket-Key': '' }), '400 Bad Request', /Key/],
  ])('is refused as any request, with %s', async (_what, request, status, detail) => {
    const [head = '', body = ''] = (await raw(server().url, request)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status}\r\n`);
    expect(head).toMatch(/^Connection: close\r?$/m);
    expect(head).toMatch(/^Content-Type: application\/json/m);
    expect(head).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m);
    expect(JSON.parse(body).detail).toMatch(detail);
  });

  it('is seen in the log and in the numbers where an address has too many', async () => {
    const { url, stderr } = full();
    const first = new WebSocket(url.replace('http', 'ws') + REALTIME_PATH);
    await once(first, 'open');
    const answer = await raw(url, handshake(REALTIME_PATH, { Accept: 'application/problem+json' }));
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(answer).toMatch(/^Retry-After: 10\r$/m);
    expect(answer).toContain('"title":"Too Many Requests"');
    const [, id] = /^X-Request-Id: (\S+)\r$/m.exec(answer) ?? [];
    await vi.waitFor(() => expect(stderr()).toContain(`"request_id":"${id}"`), 20_000);
    const line = stderr()
      .split('\n')
      .find((one) => one.includes(String(id)));
    expect(JSON.parse(line ?? '')).toMatchObject({ msg: 'request', path: REALTIME_PATH, status: 429 });
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    const numbers = await (await fetch(`${url}/metrics`, { headers })).text();
    expect(numbers).toContain(
      `parlor_http_request_duration_seconds_count{method="GET",route="${REALTIME_PATH}",status="429"} 1`,
    );
    first.terminate();
  });
});

describe('other requests to upgrade', () => {
  it('are answered as if they had not asked', async () => {
    const { url, username } = await begin();
    const body = JSON.stringify({ username, password: 'a long enough secret' });
    const first = [
      'POST /api/v1/auth/api-token HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const second = ['GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close'];
    const text = await raw(url, `${first.join('\r\n')}\r\n\r\n${body}${second.join('\r\n')}\r\n\r\n`);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(text).toMatch(/"token":"[0-9a-f]{40}"/);
  });

  it.each([99, 130, 300])(
    'are refused with %i headers of the offer, behind which others would be lost',
    async (offers) => {
      const inner = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const head = [
        'POST /api/v1/auth/api-token HTTP/1.1',
        'Host: localhost',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        ...Array(offers).fill('HTTP2-Settings: AA'),
        `Content-Length: ${inner.length}`,
      ];
      const text = await raw(server().url, `${head.join('\r\n')}\r\n\r\n${inner}`);
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
      expect(text).toContain('A request has 100 headers at most.');
    },
  );

  it.each([
    ['HTTP/1.1', 'close, Upgrade', 'close'],
    ['HTTP/1.1', 'Upgrade,Close', 'close'],
    ['HTTP/1.0', 'Upgrade', 'close'],
    ['HTTP/1.0', 'keep-alive, Upgrade', 'keep-alive'],
    ['HTTP/1.1', 'Upgrade', 'keep-alive'],
  ])('of %s with "Connection: %s" end the connection as was asked: %s', async (version, connection, wish) => {
    const lines = [`GET /healthz ${version}`, 'Host: localhost', `Connection: ${connection}`, 'Upgrade: h2c'];
    const next =
      wish === 'close' ? '' : 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const text = await raw(server().url, `${lines.join('\r\n')}\r\n\r\n${next}`);
    const answers = text.match(/^Connection: .+$/gim)?.map((line) => line.slice(12));
    expect(answers).toEqual(wish === 'close' ? ['close'] : ['keep-alive', 'close']);
  });

  it.each([0, 1])(
    'end the connection while answers are under way, when %i of two have come',
    async (come) => {
      const { url, username } = await begin();
      const body = JSON.stringify({ username, password: 'a long enough secret' });
      const lines = (...text: string[]) => `${text.join('\r\n')}\r\nHost: localhost\r\n`;
      const quick = `${lines('GET /healthz HTTP/1.1')}\r\n`;
      const slow = `${lines('POST /api/v1/auth/api-token HTTP/1.1', 'Content-Type: application/json')}Content-Length: ${body.length}\r\n\r\n${body}`;
      const upgrade = `${lines(
        `GET ${REALTIME_PATH} HTTP/1.1`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      )}\r\n`;
      const socket = connectTcp(Number(new URL(url).port), '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', () => undefined);
      socket.write(`${quick}${slow}${come === 0 ? upgrade : ''}`);
      if (come === 1) {
        await vi.waitFor(() => expect(text).toContain('"alive"'), { interval: 1 });
        socket.write(upgrade);
      }
      await once(socket, 'close');
      expect(text).not.toContain('101 Switching Protocols');
    },
  );

  it.each(['Host', 'Origin'])('are a 400 with two %s headers', async (name) => {
    const lines = [
      `GET ${REALTIME_PATH} HTTP/1.1`,
      ...['Host: localhost', 'Origin: https://a.example', `${name}: localhost`],
      ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    expect(await raw(server().url, `${lines.join('\r\n')}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('are a 404 elsewhere', async () => {
    const { url } = await begin();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/rooms/`);
    socket.on('error', () => undefined);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(404);
    socket.terminate();
  });
});
