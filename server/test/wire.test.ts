import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { oneOwner } from './shared-server.ts';
import { byStrictParser, checkEverything, useConnections } from './wire.ts';

/** What clients get to see of a server that listens: bytes, which tests without a socket never look at. */

const start = useConnections();

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
