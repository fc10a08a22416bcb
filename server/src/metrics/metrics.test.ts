import { describe, expect, it, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { outboxOf } from '../models.ts';

const TOKEN = 'a-token-for-metrics';
const open = testApp({ SMTP_URL: 'smtp://127.0.0.1:1' });
const closed = testApp({ METRICS_TOKEN: TOKEN });

describe('GET /metrics', () => {
  it('tells requests by route and status, lag, queues and clients', async () => {
    const { token } = await open.account();
    await open.request('GET', '/api/v1/rooms/some-label/', { token });
    await open.request('GET', '/nothing/of/the/kind');
    const { status, text, headers } = await open.request('GET', '/metrics');
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
    const { text } = await open.request('GET', '/metrics');
    const told = [...text.matchAll(/^parlor_outbox_waiting\{collection="(\w+)"\} \d+$/gm)].map(
      ([, name]) => name,
    );
    expect(told.sort()).toEqual(['leads', 'messages', 'notifications', 'read_marks', 'rooms', 'tombstones']);
  });

  it('counts attempts of webhooks and mails by what came of them', async () => {
    const { token } = await open.account();
    const target = 'http://127.0.0.1:1/hook';
    await open.request('POST', '/api/v1/webhooks/', { token, body: { event: 'chat.added', target } });
    await open.request('POST', '/api/v1/rooms/', { token, body: {} });
    await vi.waitFor(
      async () => {
        const { text } = await open.request('GET', '/metrics');
        expect(text).toMatch(/parlor_delivery_attempts_total\{result="retry"\} [1-9]/);
        expect(text).toContain('parlor_delivery_attempts_total{result="delivered"} 0');
        expect(text).toContain('parlor_mail_attempts_total{result="sent"} 0');
      },
      { timeout: 10_000, interval: 50 },
    );
  });

  it('is for this machine only, and not for what a proxy on it hands on', async () => {
    const headers = { 'x-forwarded-for': '127.0.0.1' };
    expect((await open.request('GET', '/metrics', { headers })).status).toBe(403);
  });

  it('opens by METRICS_TOKEN to others', async () => {
    const ask = (authorization: string) =>
      closed.request('GET', '/metrics', { headers: { authorization, 'x-forwarded-for': '192.0.2.1' } });
    expect((await ask(`Bearer ${TOKEN}x`)).status).toBe(401);
    expect((await ask(`Bearer ${TOKEN}`)).status).toBe(200);
    expect((await closed.request('GET', '/metrics')).headers['www-authenticate']).toBe('Bearer');
  });
});
