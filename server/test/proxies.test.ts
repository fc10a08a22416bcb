import { once } from 'node:events';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { behindEach, METRICS_TOKEN, twoServers } from './proxies-parts.ts';
import { PUBLIC_URL } from './proxy-process.ts';
import { byFetch, byStrictParser, callableBy, checkEverything } from './wire.ts';

/** What clients get behind the files of docs/proxies, from a real nginx and a real HAProxy, over TLS. */

const JSON_TYPE = { 'content-type': 'application/json' };
const NOT_FOUND = { detail: 'Not found.' };
const TOO_LARGE = 'Request body is larger than 262144 bytes.';
/** nginx reads away what is too large for it as well; HAProxy can't, and leaves that to Parlor. */
const TOO_LARGE_BEYOND = { nginx: 'Request body is larger than 10485760 bytes.', haproxy: TOO_LARGE };
behindEach((name) => {
  const tooLarge = TOO_LARGE_BEYOND[name];
  const { proxy, direct, fetching, strict } = twoServers(name);

  it("every operation, twice and wrongly, is understood by undici's fetch", async () => {
    await checkEverything(fetching());
  });

  it('every operation, twice and wrongly, is understood by a strict parser', async () => {
    await checkEverything(byStrictParser(await strict()));
  });

  it('the largest answers come whole, and files as they are', async () => {
    const ask = fetching();
    const api = callableBy(ask);
    const { token } = await api.account();
    const body = 'a large message '.repeat(600);
    const { uuid } = (await api.request('POST', '/api/v1/rooms/', { token })).json;
    for (let n = 0; n < 250; n++)
      await api.request('POST', '/api/v1/messages/', { token, body: { body, room: { uuid } } });
    const headers = { Authorization: `Token ${token}` };
    const list = '/api/v1/messages/?limit=1000';
    const connection = await strict();
    for (const path of [list, '/widget.js', '/api/v1/docs/scalar.js', '/api/v1/openapi.json', '/demo/']) {
      const plain = await fetch(direct() + path, { headers: { ...headers, 'Accept-Encoding': 'identity' } });
      const bytes = Buffer.from(await plain.arrayBuffer());
      for (let n = 0; n < 2; n++) {
        const { status, body } = await connection.request('GET', path, headers);
        expect([path, status, body.equals(bytes)]).toEqual([path, plain.status, true]);
      }
      if (path === list) expect(bytes.length).toBeGreaterThan(1_500_000);
      if (path === list) expect(plain.headers.get('link')).toContain(`<${PUBLIC_URL}/api/v1/messages/?`);
    }
  });

  it('wrong paths and methods get the answers of the server', async () => {
    const connection = await strict();
    const missing = await connection.request('GET', '/api/v1/nothing/');
    expect([missing.status, JSON.parse(missing.body.toString())]).toEqual([404, NOT_FOUND]);
    const own = await connection.request('GET', '/.parlor/unreadable');
    expect([own.status, JSON.parse(own.body.toString())]).toEqual([404, NOT_FOUND]);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'REPORT']) {
      const wrong = await connection.request(method, '/healthz');
      expect([method, wrong.status, wrong.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
    const preflight = await connection.request('OPTIONS', '/api/v1/messages/', {
      Origin: 'https://lamps.example',
      'Access-Control-Request-Method': 'POST',
    });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
  });

  it('the largest body that is taken passes, a larger one is a 413 that any page can read', async () => {
    const ask = fetching();
    const api = callableBy(ask);
    const { token } = await api.account();
    const room = (await api.request('POST', '/api/v1/rooms/', { token })).json;
    const filled = (bytes: number) =>
      Buffer.concat([Buffer.from(JSON.stringify({ body: 'Hi', room })), Buffer.alloc(bytes, 0x20)], bytes);
    const headers = { ...JSON_TYPE, authorization: `Token ${token}`, origin: 'https://lamps.example' };
    const path = '/api/v1/messages/';
    const connection = await strict();
    for (const [bytes, status, detail] of [
      [262_144, 201],
      [262_145, 413, TOO_LARGE],
      [10_000_000, 413, TOO_LARGE],
      [10_485_760, 413, TOO_LARGE],
      [10_485_761, 413, tooLarge],
      [30_000_000, 413, tooLarge],
    ] as const) {
      const answer = await ask({ what: path, method: 'POST', path, headers, body: filled(bytes) });
      expect([bytes, answer.status, JSON.parse(answer.text).detail]).toEqual([bytes, status, detail]);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      if (bytes > 10_485_760) continue;
      const strictly = await connection.request('POST', path, headers, filled(bytes));
      expect([bytes, strictly.status]).toEqual([bytes, status]);
    }
    const nodes = [{ id: 's', type: 'start', greeting: 'Hello!' }];
    const flow = { name: 'Greeter', is_published: true, nodes };
    const { public_key } = (await api.request('POST', '/api/v1/workflows/', { token, body: flow })).json;
    for (const start of ['/api/v1/public/conversations/start', '/API/V1/Public/conversations/start']) {
      const agent = await ask({
        what: 'start',
        method: 'POST',
        path: start,
        headers: { ...JSON_TYPE, 'x-api-key': public_key },
        body: filled(11_000_000),
      });
      expect([start, agent.status, JSON.parse(agent.text)]).toEqual([start, 413, { error: tooLarge }]);
    }
    // A client that looks for an answer only when it has sent everything.
    const late = await (await strict()).request('POST', path, headers, filled(11_000_000));
    expect([late.status, JSON.parse(late.body.toString())]).toEqual([413, { detail: tooLarge }]);
  });

  it('a body without an announced length is refused like any other', async () => {
    for (const megabytes of [1, 11]) {
      const connection = await strict();
      connection.write(
        'POST /api/v1/auth/register HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      const chunk = Buffer.concat([
        Buffer.from('100000\r\n'),
        Buffer.alloc(1_048_576, 0x20),
        Buffer.from('\r\n'),
      ]);
      for (let n = 0; n < megabytes; n++) connection.write(chunk);
      connection.write('0\r\n\r\n');
      const answer = await connection.answer('POST');
      expect([megabytes, answer.status, answer.body.toString()]).toEqual([
        megabytes,
        413,
        expect.stringMatching(/"detail":"Request body is larger than \d+ bytes."/),
      ]);
    }
  });

  it('answers a request of HTTP/1.0 that names no host, as health checks send it', async () => {
    const connection = await strict();
    connection.write('GET /healthz HTTP/1.0\r\n\r\n');
    expect((await connection.answer('GET')).status).toBe(200);
  });

  it('passes headers of up to 16 KiB on, and refuses larger ones as Parlor does', async () => {
    const answerTo = async (query: number, header: number) => {
      const ask = fetching();
      const path = `/healthz?${'a'.repeat(query)}`;
      return ask({ what: 'health', method: 'GET', path, headers: { x: 'a'.repeat(header) } });
    };
    const taken = [
      [9_000, 0],
      [0, 9_000],
      [15_500, 0],
      [0, 15_500],
      [7_000, 8_500],
    ] as const;
    for (const [query, header] of taken)
      expect([query, header, (await answerTo(query, header)).status]).toEqual([query, header, 200]);
    for (const [query, header] of [
      [17_000, 0],
      [0, 17_000],
      [9_000, 9_000],
    ] as const) {
      const { status, text } = await answerTo(query, header);
      expect([query, header, status, text]).toEqual([query, header, 431, '']);
    }
    for (const [query, header] of [
      [40_000, 0],
      [0, 40_000],
    ] as const) {
      const { status, text, headers } = await answerTo(query, header);
      // HAProxy says so in its own words, whatever its file says.
      if (name === 'haproxy') expect([query, header, status]).toEqual([query, header, 400]);
      else expect([query, header, status, text]).toEqual([query, header, 431, '']);
      if (name === 'nginx') expect(headers['access-control-allow-origin']).toBe('*');
    }
    const session = connect(proxy().url, { ca: proxy().ca });
    onTestFinished(() => session.destroy());
    for (const [length, status] of [
      [15_500, 200],
      [17_000, 431],
    ] as const) {
      const asked = session.request({ ':path': '/healthz', x: 'a'.repeat(length) });
      const [headers] = await once(asked, 'response');
      expect([length, headers[':status']]).toEqual([length, status]);
    }
  });

  const unreadable = async () => {
    for (const [request, expected] of [
      ['GET /healthz HTTP/1.1\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
      ['GET /healthz HTTP/1.1\r\nHost: a\r\nNo header\r\n\r\n', 400],
      ['GET no-path HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['TRACE / HTTP/1.1\r\nHost: a\r\n\r\n', 405],
      ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n', 501],
      ['GET / HTTP/3.0\r\nHost: a\r\n\r\n', 505],
      ['TRACE /API/v1/public/conversations/start HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    ] as const) {
      const connection = await strict();
      connection.write(request);
      const { status, headers, body } = await connection.answer('GET');
      const said = `{"${request.includes('public') ? 'error' : 'detail'}":"The request cannot be read."}`;
      expect([request, status, body.toString()]).toEqual([request, expected, said]);
      expect(headers['access-control-allow-origin']).toBe('*');
    }
    const plain = byFetch(proxy().url.replace('https:', 'http:'));
    onTestFinished(() => plain.close());
    const { status, text } = await plain({ what: 'no TLS', method: 'GET', path: '/', headers: {} });
    expect([status, text]).toEqual([400, '{"detail":"The request cannot be read."}']);
  };
  // HAProxy takes no text for it.
  if (name === 'nginx') it('answers what it cannot read in the shape of errors, to any page', unreadable);

  it('passes the largest response headers on', async () => {
    const ask = fetching();
    const api = callableBy(ask);
    const { token } = await api.account();
    const { uuid } = (await api.request('POST', '/api/v1/rooms/', { token })).json;
    // 200 characters of three letters each, of three bytes each, of three characters each in a URL.
    const words = '각'.repeat(200).normalize('NFD');
    for (const body of [words, `${words} `])
      await api.request('POST', '/api/v1/messages/', { token, body: { body, room: { uuid } } });
    const path = `/api/v1/search/?limit=1&kind=message&q=${encodeURIComponent(words)}`;
    const headers = { authorization: `Token ${token}` };
    await expect
      .poll(async () => (await ask({ what: 'search', method: 'GET', path, headers })).headers.link)
      .toMatch(/.{5400}/);
    const origin = 'x'.repeat(7_000);
    const widgets = `/api/v1/widgets/?token=x&more=${'x'.repeat(7_000)}`;
    const shown = await ask({ what: 'widgets', method: 'GET', path: widgets, headers: { origin } });
    expect(shown.status).toBe(404);
  });

  it('speaks HTTP/2, and leads from http to https', async () => {
    const session = connect(proxy().url, { ca: proxy().ca });
    onTestFinished(() => session.destroy());
    for (const path of ['/healthz', '/api/v1/openapi.json', '/healthz']) {
      const asked = session.request({ ':path': path });
      const [headers] = await once(asked, 'response');
      expect([headers[':status'], headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
      expect((await text(asked)).length).toBeGreaterThan(0);
    }
    const plain = byFetch(proxy().plainUrl);
    onTestFinished(() => plain.close());
    const path = '/api/v1/widgets/?token=a%20b';
    const answer = await plain({ what: path, method: 'GET', path, headers: { host: 'evil.example' } });
    expect([answer.status, answer.headers.location]).toEqual([308, PUBLIC_URL + path]);
  });

  it('shows no metrics to the outside, in no spelling and with no token', async () => {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    expect((await fetch(`${direct()}/metrics`, { headers })).status).toBe(200);
    const connection = await strict();
    for (const path of [
      ...['/metrics', '/metrics/', '/METRICS', '/Metrics?a', '/%6detrics', '//metrics', '/./metrics'],
      ...['/demo/../metrics', '/metrics/../metrics', '/demo/%2e%2e/metrics', '/metrics%2f', '/metrics;a'],
    ]) {
      const answer = await connection.request('GET', path, headers);
      expect([path, answer.status, JSON.parse(answer.body.toString())]).toEqual([path, 404, NOT_FOUND]);
      expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    }
    const absolute = await connection.request('GET', `${proxy().url}/metrics`, headers);
    expect(absolute.status).toBe(404);
  });
});
