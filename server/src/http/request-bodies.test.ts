import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Koa from 'koa';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
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
  let whole = 0;
  koa.use((ctx, next) => {
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
  const server = createServer(koa.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const statuses: number[] = [];
  const post = async (from: string, body: string) => {
    const headers = { 'Content-Type': 'application/json', 'X-From': from };
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
    statuses.push(status);
  };
  return { port, post, statuses, answer, whole: () => whole };
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
