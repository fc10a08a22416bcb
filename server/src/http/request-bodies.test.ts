import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import Koa from 'koa';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { countedBody, limitBodyChunks } from './body-chunks.ts';
import type { State } from './context.ts';
import { errorResponses } from './error-responses.ts';
import { jsonBody } from './json-body.ts';
import { unreadBody } from './unread-body.ts';

/** A server that answers nobody before it is told to, and believes whatever address a request says. */
const listen = async () => {
  const koa = new Koa<State>();
  koa.silent = true;
  let answer: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const begun: IncomingMessage[] = [];
  let whole = 0;
  let closed = 0;
  koa.use((ctx, next) => {
    begun.push(ctx.req);
    ctx.res.once('close', () => closed++);
    ctx.state.principal = { owner: ctx.get('X-Account') || undefined } as never;
    ctx.request.ip = ctx.get('X-From');
    return next();
  });
  koa.use(unreadBody({ over: new AbortController().signal }));
  koa.use(errorResponses(pino({ level: 'silent' })));
  koa.use(jsonBody());
  koa.use(async (ctx) => {
    whole++;
    await told;
    ctx.body = 'ok';
  });
  const server = createServer(koa.callback());
  limitBodyChunks(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const statuses: number[] = [];
  const post = async (from: string, body: string, account = '') => {
    const headers = { 'Content-Type': 'application/json', 'X-From': from, 'X-Account': account };
    const sent = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
    // 0: its connection was cut off.
    statuses.push(
      await sent.then(
        ({ status }) => status,
        () => 0,
      ),
    );
  };
  /** A client that sends a head and what stands behind it, and takes what comes. */
  const begin = async (from: string, head: string, behind: string | Buffer = '') => {
    const socket = connect(port, '127.0.0.1');
    const client = {
      answer: '',
      isOver: false,
      write: (more: string | Buffer) => socket.write(more),
      hangUp: () => socket.destroy(),
    };
    const over = () => {
      client.isOver = true;
    };
    socket.on('error', over).on('close', over);
    socket.on('data', (bytes) => {
      client.answer += bytes;
    });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    const first = `POST / HTTP/1.1\r\nHost: a\r\nX-From: ${from}\r\nContent-Type: application/json\r\n`;
    socket.write(`${first}${head}\r\n\r\n`);
    socket.write(behind);
    return client;
  };
  const came = () => begun.reduce((sum, request) => sum + (countedBody(request)?.bytes ?? 0), 0);
  return {
    port,
    post,
    begin,
    statuses,
    answer,
    begun: () => begun.length,
    came,
    whole: () => whole,
    closed: () => closed,
  };
};

const VALUES = `[${Array(49_999).fill('1').join(',')}]`;
const TEXT = `"${'x'.repeat(200_000)}"`;

it('counts what bodies become, and forgets it with their responses', async () => {
  for (const body of [VALUES, TEXT, VALUES]) {
    const { post, statuses, answer, whole } = await listen();
    const sent = Array.from({ length: 60 }, () => post('192.0.2.1', body));
    await expect.poll(() => whole() + statuses.length).toBe(60);
    // 2.5 MB of values each, and 0.4 MB of text.
    expect(whole()).toBe(body === VALUES ? 6 : 41);
    expect(statuses.every((status) => status === 503)).toBe(true);
    answer();
    await Promise.all(sent);
  }
});

it('has no room beyond that for all together, however many addresses there are', async () => {
  const { post, statuses, answer, whole } = await listen();
  const sent = Array.from({ length: 60 }, (_, n) => post(`192.0.2.${n % 6}`, VALUES));
  await expect.poll(() => whole() + statuses.length).toBe(60);
  expect(whole()).toBeLessThanOrEqual(26);
  sent.push(...Array.from({ length: 20 }, (_, n) => post(`198.51.100.${n}`, VALUES)));
  await expect.poll(() => whole() + statuses.length).toBe(80);
  expect(whole()).toBeLessThanOrEqual(26);
  answer();
  await Promise.all(sent);
});

it('has no room for more than half of that for one account, whoever sends it, and some for others', async () => {
  const { post, statuses, answer, whole } = await listen();
  const sent = Array.from({ length: 40 }, (_, n) => post(`192.0.2.${n % 8}`, VALUES, 'busy'));
  await expect.poll(() => whole() + statuses.length).toBe(40);
  const { length: refused } = statuses;
  expect(whole()).toBeLessThanOrEqual(13);
  sent.push(...Array.from({ length: 10 }, (_, n) => post(`192.0.2.${n % 8}`, VALUES, 'another')));
  await expect.poll(() => whole() + statuses.length).toBe(50);
  expect(statuses.length).toBe(refused);
  answer();
  await Promise.all(sent);
  await expect.poll(async () => post('192.0.2.1', VALUES, 'busy').then(() => statuses.at(-1))).toBe(200);
});

it('forgets those whose clients go away', async () => {
  const { port, post, statuses, answer, whole } = await listen();
  const length = 262_144;
  const head = `POST / HTTP/1.1\r\nHost: a\r\nX-From: 192.0.2.1\r\nContent-Type: application/json\r\n`;
  for (let round = 0; round < 3; round++) {
    const clients = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const client = connect(port, '127.0.0.1').on('error', () => undefined);
        await once(client, 'connect');
        client.write(`${head}Content-Length: ${length}\r\n\r\n${TEXT.slice(0, 1_000)}`);
        return client;
      }),
    );
    await Promise.all(
      clients.map(async (client) => {
        client.resetAndDestroy();
        await once(client, 'close');
      }),
    );
  }
  const sent = Array.from({ length: 40 }, () => post('192.0.2.1', TEXT));
  await expect.poll(() => whole() + statuses.length).toBe(40);
  expect(whole()).toBe(40);
  answer();
  await Promise.all(sent);
});

it('counts those that are worked on when their clients have gone, and until then', async () => {
  const { begin, post, statuses, answer, whole, closed } = await listen();
  const head = `Content-Length: ${TEXT.length}`;
  const many = await times(41, () => begin('192.0.2.1', head, TEXT));
  await expect.poll(whole).toBe(41);
  for (const one of many) one.hangUp();
  await expect.poll(closed).toBe(41);
  await post('192.0.2.1', TEXT);
  // Of another address there is room.
  const other = post('192.0.2.2', TEXT);
  await expect.poll(whole).toBe(42);
  expect(statuses).toEqual([503]);
  answer();
  await other;
  await expect.poll(async () => post('192.0.2.1', TEXT).then(() => statuses.at(-1))).toBe(200);
});

const BIG = `"${'x'.repeat(100 * 1_024)}"`;
const GZIP = 'Content-Encoding: gzip\r\n';
const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

it.each([
  ['announced', 'Content-Length: 262144'],
  ['in chunks', 'Transfer-Encoding: chunked'],
  ['compressed', `${GZIP}Content-Length: 2000`],
  ['compressed, in chunks', `${GZIP}Transfer-Encoding: chunked`],
])('takes no room from others with what does not come: %s', async (_, head) => {
  const { post, begin, statuses, answer, begun } = await listen();
  answer();
  await times(300, (n) => begin(`198.51.100.${n % 100}`, head));
  await times(100, () => begin('192.0.2.2', head));
  await expect.poll(begun).toBe(400);
  await post('192.0.2.1', BIG);
  await post('192.0.2.2', BIG);
  expect(statuses).toEqual([200, 200]);
});

it('has room for who holds little, whoever sends how quickly', async () => {
  const { post, begin, statuses, answer, came } = await listen();
  answer();
  await times(400, (n) =>
    begin(`198.51.100.${n % 100}`, 'Content-Length: 262144', BIG.repeat(3).slice(0, 262_143)),
  );
  await expect.poll(came).toBeGreaterThan(64 * 1_048_576);
  for (let n = 0; n < 5; n++) await post('192.0.2.1', BIG);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
});

it('counts a body as it comes, and tells whoever sends more than there is room for', async () => {
  const { begin, post, statuses, answer, begun, whole } = await listen();
  const head = 'Transfer-Encoding: chunked';
  const piece = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`;
  const many = await times(70, () => begin('192.0.2.1', head, piece));
  await expect.poll(begun).toBe(70);
  for (let n = 0; n < 3; n++) for (const one of many) one.write(piece);
  // 16 MiB are 64 of them, but for what is counted of chunks.
  const refused = () => many.filter((one) => one.answer !== '' || one.isOver);
  for (const one of many) one.write('0\r\n\r\n');
  await expect.poll(() => refused().length).toBeGreaterThanOrEqual(6);
  for (const { answer } of many) expect(answer).toMatch(/^$|^HTTP\/1.1 (503 .*Retry-After: 5\r\n|400 )/s);
  expect(refused().some((one) => one.answer.startsWith('HTTP/1.1 503'))).toBe(true);
  answer();
  await post('192.0.2.1', TEXT);
  expect([statuses, whole()]).toEqual([[200], 1]);
});

it('counts small chunks as what keeping them takes', async () => {
  const { begin, answer, whole } = await listen();
  const body = `1\r\n1\r\n${'1\r\n \r\n'.repeat(1_999)}0\r\n\r\n`;
  const many = await times(100, () => begin('192.0.2.1', 'Transfer-Encoding: chunked', body));
  const refused = () => many.filter((one) => one.answer.startsWith('HTTP/1.1 503')).length;
  await expect.poll(() => whole() + refused()).toBe(100);
  // 250 KiB each.
  expect(whole()).toBeLessThanOrEqual(65);
  answer();
});

it('counts what a decoder makes by its limit', async () => {
  const { begin, answer, whole } = await listen();
  const body = gzipSync(TEXT);
  const many = await times(80, () => begin('192.0.2.1', `${GZIP}Content-Length: ${body.length}`, body));
  const refused = () => many.filter((one) => one.answer.startsWith('HTTP/1.1 503')).length;
  await expect.poll(() => whole() + refused()).toBe(80);
  expect(refused()).toBeGreaterThan(0);
  answer();
});
