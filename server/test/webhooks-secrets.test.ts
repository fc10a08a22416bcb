import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { testApp } from './app.ts';
import { startReceiver } from './webhooks-parts.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '50ms,100ms', WEBHOOK_TIMEOUT: '1s' });

const TARGET = 'https://example.com/hooks/chat';

const subscribe = async (token: string, target = TARGET, event = 'message.added') =>
  app.request('POST', '/api/v1/webhooks/', { token, body: { event, target } });

describe('secrets', () => {
  /** @throws unless the hit is signed by `secret`, beside others */
  const verify = (secret: string, hit: { body: string; headers: IncomingHttpHeaders } | undefined) =>
    new Webhook(secret).verify(hit?.body ?? '', hit?.headers as Record<string, string>);

  test('are shown, and rotated once under one Idempotency-Key, which keeps no secret', async () => {
    const { token } = await app.account();
    const { uuid } = (await subscribe(token)).json;
    const path = `/api/v1/webhooks/${uuid}/secret/`;
    const shown = await app.request('GET', path, { token });
    expect(shown.json.secret).toMatch(/^whsec_/);
    expect(shown.headers['cache-control']).toBe('no-store');
    const headers = { 'Idempotency-Key': randomUUID() };
    const rotated = await app.request('POST', `${path}rotate/`, { token, headers });
    expect(rotated.status).toBe(200);
    expect(Object.keys(rotated.json)).toEqual(['secret', 'previous_expires_at']);
    expect(rotated.json.secret).not.toBe(shown.json.secret);
    expect(rotated.json.previous_expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    const replayed = await app.request('POST', `${path}rotate/`, { token, headers });
    expect(replayed.json).toEqual(rotated.json);
    expect((await app.request('GET', path, { token })).json).toEqual({ secret: rotated.json.secret });
    const kept = JSON.stringify(await app.services.models.idempotency.find({}).lean());
    expect(kept).not.toContain('whsec_');
    const stored = JSON.stringify(await app.services.models.webhooks.find({ _id: uuid }).lean());
    expect(stored).not.toContain(rotated.json.secret.slice('whsec_'.length));
    await app.request('DELETE', `/api/v1/webhooks/${uuid}/`, { token });
    expect((await app.request('POST', `${path}rotate/`, { token, headers })).status).toBe(409);
  });

  test('every one that was shown signs on for its 24 hours, however many rotations follow', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver();
    const { uuid } = (await subscribe(token, receiver.url)).json;
    const path = `/api/v1/webhooks/${uuid}/`;
    const shown = [(await app.request('GET', `${path}secret/`, { token })).json.secret];
    for (let n = 0; n < 3; n++) {
      shown.unshift((await app.request('POST', `${path}secret/rotate/`, { token })).json.secret);
    }
    await app.request('POST', `${path}test/`, { token });
    for (const one of shown) verify(one, receiver.hits[0]);
    expect(new Set(shown).size).toBe(4);
  });

  test('rotated by many at once, at most ten times a day, none that was shown is lost', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver();
    const { uuid } = (await subscribe(token, receiver.url)).json;
    const path = `/api/v1/webhooks/${uuid}/`;
    const { secret } = (await app.request('GET', `${path}secret/`, { token })).json;
    const answers = await Promise.all(
      Array.from({ length: 13 }, () => app.request('POST', `${path}secret/rotate/`, { token })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429]);
    expect(refused[0]?.json.detail).toMatch(/^A secret can be rotated 10 times in 24 hours\. Expected/);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(86_000);
    await app.request('POST', `${path}test/`, { token });
    const [hit] = receiver.hits;
    for (const one of [secret, ...answers.flatMap(({ json }) => json.secret ?? [])]) verify(one, hit);
    expect(String(hit?.headers['webhook-signature']).split(' ')).toHaveLength(11);
  });
});
