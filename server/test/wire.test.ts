import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serverSettings, startServerProcess } from './server-process.ts';
import { oneOwner, useServer } from './shared-server.ts';
import { StrictConnection } from './strict-http.ts';
import { byFetch, byStrictParser, checkEverything } from './wire.ts';

/** What clients get to see of a server that listens: bytes, which tests without a socket never look at. */

const server = useServer();

const start = async () => {
  const { url } = server();
  const fetching = byFetch(url);
  onTestFinished(() => fetching.close());
  const connection = await StrictConnection.open(url);
  onTestFinished(() => connection.close());
  return { url, fetching, connection };
};

describe('every operation, twice and wrongly, over one connection', { timeout: 120_000 }, () => {
  it("is understood by undici's fetch", async () => {
    const { fetching } = await start();
    await checkEverything(fetching);
  });

  it('is understood by a parser that refuses whatever HTTP/1.1 does not allow', async () => {
    const { connection } = await start();
    await checkEverything(byStrictParser(connection));
  });
});

describe('a body that is too large', { timeout: 120_000 }, () => {
  const TEN_MB = Buffer.alloc(10_000_000, 0x20);
  const JSON_TYPE = { 'content-type': 'application/json' };
  const TOO_LARGE = { detail: 'Request body is larger than 262144 bytes.' };
  const PATH = '/api/v1/messages/';

  it('is a 413 that fetch can read, and the connection goes on', async () => {
    const { url, fetching } = await start();
    const { token } = await oneOwner(url);
    const headers = { ...JSON_TYPE, authorization: `Token ${token}` };
    for (const [path, given, status] of [
      [PATH, headers, 413],
      [PATH, JSON_TYPE, 401],
      ['/api/v1/auth/register', JSON_TYPE, 413],
      ['/api/v1/auth/register', { 'content-type': 'text/plain' }, 415],
      ['/nothing/here', JSON_TYPE, 404],
    ] as const) {
      const answer = await fetching({ what: path, method: 'POST', path, headers: given, body: TEN_MB });
      expect([path, answer.status]).toEqual([path, status]);
      if (status === 413) expect(JSON.parse(answer.text)).toEqual(TOO_LARGE);
    }
  });

  it('is a 413 to a client that looks for an answer only when it has sent everything', async () => {
    const { connection } = await start();
    for (let n = 0; n < 2; n++) {
      const answer = await connection.request('POST', '/api/v1/auth/register', JSON_TYPE, TEN_MB);
      expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([413, TOO_LARGE]);
    }
    const chunk = Buffer.concat([
      Buffer.from('f4240\r\n'),
      Buffer.alloc(1_000_000, 0x20),
      Buffer.from('\r\n'),
    ]);
    connection.write(
      'POST /api/v1/auth/register HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (let n = 0; n < 10; n++) connection.write(chunk);
    connection.write('0\r\n\r\n');
    expect((await connection.answer('POST')).status).toBe(413);
    expect((await connection.request('GET', '/healthz')).status).toBe(200);
  });

  it('is a 413 to curl, with and without its question whether to go on', async () => {
    const { url } = await start();
    const file = join(await mkdtemp(join(tmpdir(), 'parlor-body-')), 'body');
    onTestFinished(() => rm(dirname(file), { recursive: true }));
    await writeFile(file, TEN_MB);
    for (const expect100 of ['Expect: 100-continue', 'Expect:']) {
      const { stdout } = await promisify(execFile)('curl', [
        ...['--silent', '--show-error', '--write-out', ' %{http_code}', '--header', expect100],
        ...['--header', 'Content-Type: application/json', '--data-binary', `@${file}`],
        `${url}/api/v1/auth/register`,
      ]);
      expect(stdout).toBe(`${JSON.stringify(TOO_LARGE)} 413`);
    }
  });

  it('is cut off where there is no end to it', async () => {
    const { url, connection } = await start();
    connection.write(
      'POST /api/v1/auth/register HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n',
    );
    const answer = await connection.answer('POST');
    expect([answer.status, answer.headers.connection]).toEqual([413, 'close']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

describe('a body whose end a proxy in front may have seen elsewhere', () => {
  const BODY = '{"name":"In chunks"}';
  const inChunks = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

  it.each([
    ['1.1', 'Transfer-Encoding: gzip, chunked'],
    ['1.1', 'Transfer-Encoding: identity, chunked'],
    ['1.1', 'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked'],
    ['1.1', `Transfer-Encoding: \r\nContent-Length: ${inChunks.length}`],
    ['1.0', 'Connection: keep-alive\r\nTransfer-Encoding: chunked'],
  ])('is a 400 in HTTP/%s with %s, after which nothing is read', async (version, headers) => {
    const { url, connection } = await start();
    const { token } = await oneOwner(url);
    const head = `Host: a\r\nContent-Type: application/json\r\nAuthorization: Token ${token}`;
    const next = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    connection.write(
      `POST /api/v1/rooms/ HTTP/${version}\r\n${head}\r\n${headers}\r\n\r\n${inChunks}${next}`,
    );
    const answer = await connection.answer('POST');
    expect([answer.status, answer.headers.connection]).toEqual([400, 'close']);
    await expect(connection.answer('GET')).rejects.toThrow();
  });

  it('is read in chunks, however that is spelt', async () => {
    const { url, connection } = await start();
    const { token } = await oneOwner(url);
    const head = `Host: a\r\nContent-Type: application/json\r\nAuthorization: Token ${token}`;
    connection.write(
      `POST /api/v1/rooms/ HTTP/1.1\r\n${head}\r\nTransfer-Encoding:  CHUNKED \r\n\r\n${inChunks}`,
    );
    const made = await connection.answer('POST');
    expect([made.status, JSON.parse(made.body.toString()).name]).toEqual([201, 'In chunks']);
  });
});

describe('a header that says one thing', () => {
  it.each([
    ['Host', 'a', 'b'],
    ['Authorization', 'Token a', 'Token b'],
    ['Content-Type', 'application/json', 'text/plain'],
    ['Content-Type', 'application/json', 'application/json'],
    ['Idempotency-Key', 'a', 'b'],
    ['Last-Event-ID', 'a', 'b'],
    ['Origin', 'https://a.example', 'https://b.example'],
    ['Parlor-Client', 'a', 'b'],
    ['X-API-Key', 'a', 'b'],
  ])('is a 400 where it stands twice: a proxy in front may go by the other %s', async (name, one, other) => {
    const { connection } = await start();
    const host = name === 'Host' ? '' : 'Host: a\r\n';
    const detail = `A request has one ${name} header.`;
    for (const path of ['/healthz', '/api/v1/rooms/', '/']) {
      connection.write(
        `GET ${path} HTTP/1.1\r\n${host}${name}: ${one}\r\n${name.toLowerCase()}: ${other}\r\n\r\n`,
      );
      const answer = await connection.answer('GET');
      expect([path, answer.status, JSON.parse(answer.body.toString())]).toEqual([path, 400, { detail }]);
    }
  });

  it('is seen behind as many others as there may be, and further ones are refused', async () => {
    const { connection } = await start();
    const answerTo = async (others: number, last = '') => {
      const head = `GET /healthz HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(others)}`;
      connection.write(`${head}${last}\r\n`);
      const { status, body } = await connection.answer('GET');
      return [status, JSON.parse(body.toString()).detail];
    };
    expect(await answerTo(98, 'Host: b\r\n')).toEqual([400, 'A request has one Host header.']);
    expect((await answerTo(99))[0]).toBe(200);
    for (const others of [100, 3_000])
      expect(await answerTo(others)).toEqual([400, 'A request has 100 headers at most.']);
  });

  it('is another matter than a list, which may be divided into lines', async () => {
    const { url, connection } = await start();
    const { token } = await oneOwner(url);
    const head = `Host: a\r\nAuthorization: Token ${token}`;
    const read = async (path: string, ...lines: string[]) => {
      connection.write(`GET ${path} HTTP/1.1\r\n${[head, ...lines].join('\r\n')}\r\n\r\n`);
      return connection.answer('GET');
    };
    const path = '/api/v1/account/';
    const { etag } = (await read(path, 'Accept: text/html', 'Accept: application/json')).headers;
    expect((await read(path, 'If-None-Match: "other"', `If-None-Match: ${etag}`)).status).toBe(304);
    expect(
      (
        await read(
          path,
          'Cookie: a=b',
          'Cookie: c=d',
          'X-Forwarded-For: 192.0.2.1',
          'X-Forwarded-For: 192.0.2.2',
        )
      ).status,
    ).toBe(200);
  });
});

describe('a Host that a client makes up', () => {
  it('is in no header and on no page: a browser or a cache would believe it', async () => {
    const { url, connection } = await start();
    const { token } = await oneOwner(url);
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'gopher',
      Forwarded: 'host=evil.example;proto=gopher',
      Authorization: `Token ${token}`,
      'Content-Type': 'application/json',
    };
    for (let n = 0; n < 2; n++) {
      const made = await connection.request('POST', '/api/v1/rooms/', headers, '{}');
      expect(made.headers.location).toMatch(new RegExp(`^${url}/api/v1/rooms/`));
    }
    const paths = [
      '/',
      '/demo/',
      '/demo/strict/',
      '/demo/hostile/',
      '/api/v1/docs',
      '/api/v1/openapi.json',
      '/widget.js',
    ];
    for (const path of ['/api/v1/rooms/?limit=1', ...paths]) {
      const answer = await connection.request('GET', path, headers);
      expect([path, JSON.stringify(answer.headers)]).not.toEqual([
        path,
        expect.stringMatching(/evil|gopher/),
      ]);
      expect([path, answer.body.toString()]).not.toEqual([
        path,
        expect.stringMatching(/evil\.example|gopher/),
      ]);
    }
  });
});

it('the log does not hold what opens a conversation: its id, with the key that many have, a widget or a picture', async () => {
  const server = await startServerProcess({ ...(await serverSettings()), LOG_LEVEL: 'info' });
  const id = `conv_${'x'.repeat(24)}`;
  for (const path of [id, `${id}/messages`, `${id}/`, `x%2f${id}`, `x${id}/`, `%63${id.slice(1)}/messages`]) {
    await fetch(`${server.url}/api/v1/public/conversations/${path}`, {
      headers: { 'x-api-key': 'pk_live_x' },
    });
  }
  const token = `w${'y'.repeat(24)}`;
  for (const path of [
    `widgets/?token=${token}`,
    `widgets/${token}/`,
    `widgets/${token}/sessions`,
    `Widgets/${token}`,
    `widgets%2f${token}/`,
    `%77idgets/${token}`,
    `widgets%252f${token}/`,
    // As links are rewritten on their way.
    ...['%23', '%3F', '%253f', ';'].map((mark) => `../../console/reset${mark}token=${token}`),
    `../../confirm-email%3Ftoken=${token}`,
  ]) {
    await fetch(`${server.url}/api/v1/${path}`, { method: 'DELETE' });
  }
  const picture = `p${'z'.repeat(24)}`;
  for (const path of [picture, `${picture}/`]) await fetch(`${server.url}/api/v1/avatars/${path}`);
  await fetch(`${server.url}/api/v1/public/conversations/start`, { method: 'POST' });
  for (const path of [
    'public/conversations/…/messages',
    'widgets/…/sessions',
    'avatars/…',
    'public/conversations/start',
  ])
    await expect.poll(() => server.stderr()).toContain(`"/api/v1/${path}"`);
  expect(server.stderr()).not.toContain(id.slice(1));
  expect(server.stderr()).not.toContain(token);
  expect(server.stderr()).not.toContain(picture);
});

it('the log warns of nothing that a client alone can break', async () => {
  const { url, stderr } = await startServerProcess({ ...(await serverSettings()), LOG_LEVEL: 'info' });
  const head = 'POST /api/v1/auth/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  for (const rest of ['Transfer-Encoding: chunked\r\n\r\nno number\r\n', 'Content-Length: 9\r\n\r\n{']) {
    const connection = await StrictConnection.open(url);
    connection.write(head + rest);
    // Whoever leaves in the middle, too.
    if (rest.startsWith('Content')) connection.close();
    else expect((await connection.answer('POST').catch(() => undefined))?.status ?? 400).toBe(400);
  }
  await expect.poll(() => stderr().split('a client broke its request off').length).toBeGreaterThan(1);
  // And whoever leaves in the middle of a large response.
  for (let left = 1; left <= 5; left++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(16));
    await once(socket, 'data');
    socket.resetAndDestroy();
    await expect.poll(() => stderr().split('"path":"/api/v1/openapi.json"').length).toBeGreaterThan(left);
  }
  await expect.poll(() => stderr().split('"path":"/api/v1/auth/session"').length).toBe(3);
  expect(stderr()).not.toMatch(/answer broke off|"stack"/);
});
