import { describe, expect, it } from 'vitest';
import { oneOwner } from './shared-server.ts';
import { useConnections } from './wire.ts';

/** Headers that proxies, caches and browsers in front of a server may take otherwise than it does. */

const start = useConnections();

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
