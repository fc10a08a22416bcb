import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { startGatedDatabase } from '../../../test/database-gate.ts';
import { serverSettings, startServerProcess } from '../../../test/server-process.ts';
import { outboxOf } from '../../models.ts';

const TOKEN = 'a-token-for-metrics';
const open = testApp({ SMTP_URL: 'smtp://127.0.0.1:1', METRICS_TOKEN: TOKEN });
const bearer = { headers: { authorization: `Bearer ${TOKEN}` } };
const closed = testApp();

const freePort = async (): Promise<number> => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  return port;
};

describe('GET /metrics', () => {
  it('tells requests by route and status, lag, queues and clients', async () => {
    const { token } = await open.account();
    await open.request('GET', '/api/v1/rooms/some-label/', { token });
    await open.request('GET', '/nothing/of/the/kind');
    const { status, text, headers } = await open.request('GET', '/metrics', bearer);
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
    const counted = 'parlor_http_request_duration_seconds_count';
    expect(text).toContain(`${counted}{method="GET",route="/api/v1/rooms/:label",status="404"} 1`);
    expect(text).toContain(`${counted}{method="GET",route="other",status="404"} 1`);
    expect(text).not.toContain('some-label');
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'parlor_realtime_connections 0',
      'parlor_deliveries_pending 0',
    ]) {
      expect(text).toContain(name);
    }
  });

  it('tells what waits in every collection whose documents carry events', async () => {
    const { models } = open.services;
    const holders = Object.values(models).filter((model) => 'events' in model.schema.paths);
    expect(new Set(Object.values(outboxOf(models)))).toEqual(new Set(holders));
    const { text } = await open.request('GET', '/metrics', bearer);
    const told = [...text.matchAll(/^parlor_outbox_waiting\{collection="(\w+)"\} \d+$/gm)].map(
      ([, name]) => name,
    );
    expect(told.sort()).toEqual(Object.keys(outboxOf(models)).sort());
  });

  it('counts attempts of webhooks and mails by what came of them', async () => {
    const { token } = await open.account();
    const target = 'http://127.0.0.1:8/hook';
    await open.request('POST', '/api/v1/webhooks/', { token, body: { event: 'chat.added', target } });
    await open.request('POST', '/api/v1/rooms/', { token, body: {} });
    await vi.waitFor(
      async () => {
        const { text } = await open.request('GET', '/metrics', bearer);
        expect(text).toMatch(/parlor_delivery_attempts_total\{result="retry"\} [1-9]/);
        expect(text).toContain('parlor_delivery_attempts_total{result="delivered"} 0');
        expect(text).toContain('parlor_mail_attempts_total{result="sent"} 0');
        expect(text).toContain('parlor_mail_attempts_total{result="deferred"} 0');
      },
      { timeout: 60_000, interval: 50 },
    );
  });

  it('are for whoever has METRICS_TOKEN, wherever a request seems to come from', async () => {
    const ask = (authorization: string) => open.request('GET', '/metrics', { headers: { authorization } });
    expect((await ask(`Bearer ${TOKEN}x`)).status).toBe(401);
    expect((await ask(`Bearer ${TOKEN}`)).status).toBe(200);
    expect((await open.request('GET', '/metrics')).headers['www-authenticate']).toBe('Bearer');
  });

  it('are for nobody without one, not even for this machine: behind a proxy everybody looks like it', async () => {
    const { status, json } = await closed.request('GET', '/metrics');
    expect([status, json.detail]).toEqual([403, expect.stringMatching(/METRICS_TOKEN.*METRICS_LISTEN/)]);
  });

  it('have a listener of their own at METRICS_LISTEN, and nothing else has', async () => {
    const port = await freePort();
    const server = await startServerProcess({
      ...(await serverSettings()),
      METRICS_LISTEN: `127.0.0.1:${port}`,
    });
    const own = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect([own.status, await own.text()]).toEqual([
      200,
      expect.stringContaining('parlor_realtime_connections'),
    ]);
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/rooms/`)).status).toBe(404);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(403);
  });

  it('refuse a target that nobody can read on both listeners, and log nothing that is no JSON', async () => {
    const port = await freePort();
    const server = await startServerProcess({
      ...(await serverSettings()),
      METRICS_LISTEN: `127.0.0.1:${port}`,
    });
    for (const at of [port, Number(new URL(server.url).port)]) {
      const socket = connect(at, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.write('GET http://[/ HTTP/1.1\r\nHost: a\r\n\r\n');
      const answer = String((await once(socket, 'data'))[0]);
      expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*The request target is not a valid URL/);
    }
    await server.end('SIGTERM');
    const lines = server.stderr().split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line)).filter(({ err }) => err)).toEqual([]);
  });

  it('end a connection of their own listener that floods it or stays silent, as any other, and take no more than 64', {
    timeout: 60_000,
  }, async () => {
    const port = await freePort();
    await startServerProcess({ ...(await serverSettings()), METRICS_LISTEN: `127.0.0.1:${port}` });
    const open = () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      return socket.resume();
    };
    const flooding = open();
    flooding.write('\r\n'.repeat(1_500_000));
    await expect.poll(() => flooding.closed).toBe(true);
    const sockets = Array.from({ length: 80 }, open);
    const closed = () => sockets.filter((socket) => socket.closed).length;
    await expect.poll(closed).toBe(16);
    await expect.poll(closed, { timeout: 30_000 }).toBe(80);
  });

  it('are told to who offers another protocol there, and no connection is held for it', async () => {
    const port = await freePort();
    await startServerProcess({ ...(await serverSettings()), METRICS_LISTEN: `127.0.0.1:${port}` });
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
    await once(socket.resume(), 'close');
    // Node.js keeps 124 headers of a request: its Content-Length is not among them.
    const offers = `Connection: Upgrade\r\nUpgrade: h2c\r\n${'HTTP2-Settings: AA\r\n'.repeat(130)}`;
    const other = connect(port, '127.0.0.1');
    onTestFinished(() => void other.destroy());
    other.write(`GET /metrics HTTP/1.1\r\nHost: a\r\n${offers}Content-Length: 4\r\n\r\nGET `);
    expect(String((await once(other, 'data'))[0])).toMatch(/^HTTP\/1.1 400 [\s\S]*100 headers at most/);
    await once(other.resume(), 'close');
  });

  it('tell what the process knows while the database is away, and that it is', {
    timeout: 90_000,
  }, async () => {
    const { gate, settings } = await startGatedDatabase();
    const port = await freePort();
    const server = await startServerProcess({
      ...settings,
      PORT: '0',
      METRICS_TOKEN: TOKEN,
      METRICS_LISTEN: `127.0.0.1:${port}`,
    });
    const ask = async (url: string) => {
      const answer = await fetch(`${url}/metrics`, bearer);
      return { status: answer.status, text: await answer.text() };
    };
    const both = () => Promise.all([ask(server.url), ask(`http://127.0.0.1:${port}`)]);
    const counted = /^parlor_(outbox_waiting|deliveries_pending)(\{.*\})? \d+$/m;
    for (const { text } of await both()) {
      expect(text).toMatch(/^parlor_database_up 1$/m);
      expect(text).toMatch(counted);
    }

    gate.shut();
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503);
    for (const { status, text } of await both()) {
      expect([status, text]).toEqual([200, expect.stringMatching(/^parlor_database_up 0$/m)]);
      expect(text).toContain('parlor_realtime_connections 0');
      expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
      expect(text).not.toMatch(counted);
    }

    gate.reopen();
    await expect
      .poll(async () => (await ask(server.url)).text, { timeout: 60_000 })
      .toMatch(/^parlor_database_up 1$/m);
    expect((await ask(server.url)).text).toMatch(counted);
  });
});
