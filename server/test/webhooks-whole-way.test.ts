import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { testApp } from './app.ts';
import { sleep, startReceiver, until } from './webhooks-parts.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '50ms,100ms', WEBHOOK_TIMEOUT: '1s' });

const TARGET = 'https://example.com/hooks/chat';

const subscribe = async (token: string, target = TARGET, event = 'message.added') =>
  app.request('POST', '/api/v1/webhooks/', { token, body: { event, target } });

describe('the whole way', () => {
  const post = async (token: string, body = 'Do you deliver?') => {
    const { json: room } = await app.request('POST', '/api/v1/rooms/', { token });
    const message = { body, nickname: 'Ada', room: { uuid: room.uuid } };
    const { json } = await app.request('POST', '/api/v1/messages/', { token, body: message });
    return { room, message: json };
  };

  test('reaches a webhook that was made before the clock was put back', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver((_, response) => response.writeHead(200).end());
    const { uuid } = (await subscribe(token, receiver.url)).json;
    const since = new Date(Date.now() + 3_600_000);
    await app.services.models.webhooks.updateOne({ _id: uuid }, { $set: { since } });
    const { message } = await post(token);
    await until(() => receiver.hits.length > 0, 'the delivery');
    expect(receiver.hits[0]?.json.data.uuid).toBe(message.uuid);
  });

  test('a message reaches the subscriber, and the log tells', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver((_, response, number) =>
      response.writeHead(number === 1 ? 500 : 200).end('thanks'),
    );
    const { uuid } = (await subscribe(token, receiver.url)).json;
    const { secret } = (await app.request('GET', `/api/v1/webhooks/${uuid}/secret/`, { token })).json;
    const { room, message } = await post(token);
    const list = `/api/v1/webhooks/${uuid}/deliveries/`;
    const logged = await until(async () => {
      const { json } = await app.request('GET', list, { token });
      return json[0]?.state === 'delivered' && json;
    });
    const [first, second] = receiver.hits;
    const webhook = { uuid, event: 'message.added', target: receiver.url };
    const data = { ...message, room: { uuid: room.uuid, label: room.label } };
    expect(second?.body).toBe(JSON.stringify({ data, webhook }));
    expect(second?.body).toBe(first?.body);
    new Webhook(secret).verify(second?.body ?? '', second?.headers as Record<string, string>);
    expect(logged).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        event_id: second?.headers['webhook-id'],
        event: 'message.added',
        webhook,
        state: 'delivered',
        created_at: expect.stringMatching(/\+00:00$/),
        next_attempt_at: null,
        attempts: [
          {
            at: expect.any(String),
            status: 500,
            duration_ms: expect.any(Number),
            error: 'answered 500',
            response: 'thanks',
          },
          {
            at: expect.any(String),
            status: 200,
            duration_ms: expect.any(Number),
            error: null,
            response: 'thanks',
          },
        ],
      },
    ]);
    expect(Object.keys(logged[0])).toEqual([
      'id',
      'event_id',
      'event',
      'webhook',
      'state',
      'created_at',
      'next_attempt_at',
      'attempts',
    ]);
    const one = await app.request('GET', `/api/v1/deliveries/${logged[0].id}/`, { token });
    expect(one.json).toEqual(logged[0]);
    const text = await app.request('GET', `/api/v1/deliveries/${logged[0].id}/body/`, { token });
    expect([text.json, text.headers['cache-control']]).toEqual([{ body: first?.body }, 'no-store']);

    for (const path of [
      `/api/v1/deliveries/${logged[0].id}/redeliver/`,
      `${list}${logged[0].id}/redeliver/`,
    ]) {
      const before = receiver.hits.length;
      const again = await app.request('POST', path, { token });
      expect([again.status, again.json.event_id, again.json.state]).toEqual([
        202,
        logged[0].event_id,
        'pending',
      ]);
      expect(again.json.id).not.toBe(logged[0].id);
      await until(() => receiver.hits.length === before + 1);
      expect(receiver.hits.at(-1)?.body).toBe(first?.body);
    }
    const { uuid: other } = (await subscribe(token, TARGET)).json;
    const elsewhere = `/api/v1/webhooks/${other}/deliveries/${logged[0].id}/redeliver/`;
    expect((await app.request('POST', elsewhere, { token })).status).toBe(404);

    await app.request('DELETE', `/api/v1/webhooks/${uuid}/`, { token });
    expect((await app.request('GET', list, { token })).json).toHaveLength(3);
    const refused = await app.request('POST', `/api/v1/deliveries/${logged[0].id}/redeliver/`, { token });
    expect(refused.status).toBe(409);
  });

  test('the log is filtered and paged, and is the account’s own', async () => {
    const { token } = await app.account();
    const well = await startReceiver();
    const ill = await startReceiver((_, response) => response.writeHead(404).end());
    const { uuid: a } = (await subscribe(token, well.url)).json;
    const { uuid: b } = (await subscribe(token, ill.url, 'chat.added')).json;
    await post(token);
    await post(token);
    const get = async (query: string) =>
      (await app.request('GET', `/api/v1/deliveries/${query}`, { token })).json;
    const count = async (query: string): Promise<number> => (await get(query)).length;
    await until(async () => (await count('?state=delivered')) === 2 && (await count('?state=failed')) === 2);
    expect(await count(`?webhook=${a}`)).toBe(2);
    expect(await count(`?webhook=${b.toUpperCase()}&state=failed`)).toBe(2);
    expect(await count(`?webhook=${b}&state=delivered`)).toBe(0);
    expect(await count('?event=chat.added')).toBe(2);
    expect(await count('?event=lead.added')).toBe(0);
    expect(await count('?event=chat.added&state=failed')).toBe(2);
    expect(await count('?start_date=2020-01-01')).toBe(4);
    expect(await count('?end_date=2020-01-01')).toBe(0);
    const page = await app.request('GET', '/api/v1/deliveries/?state=failed&limit=1', { token });
    expect(page.json).toHaveLength(1);
    expect(page.headers.link).toContain('state=failed');
    for (const query of ['?state=lost', '?event=x', '?webhook=x', '?state=failed&state=failed']) {
      expect((await app.request('GET', `/api/v1/deliveries/${query}`, { token })).status).toBe(400);
    }
    const stranger = await app.account();
    expect((await app.request('GET', '/api/v1/deliveries/', stranger)).json).toEqual([]);
    const path = `/api/v1/deliveries/${page.json[0].id}`;
    expect((await app.request('GET', `${path}/`, stranger)).status).toBe(404);
    expect((await app.request('POST', `${path}/redeliver/`, stranger)).status).toBe(404);
  });

  test('a test send answers 200 with what came of it, whatever the target did', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver((hit, response) => {
      if (hit.path === '/hangs') return sleep(1_500);
      return response.writeHead(hit.path === '/hook' ? 201 : 500).end('hm');
    });
    const send = async (target: string) => {
      const { uuid } = (await subscribe(token, target)).json;
      return app.request('POST', `/api/v1/webhooks/${uuid}/test/`, { token });
    };
    const well = await send(receiver.url);
    expect([well.status, well.json]).toEqual([
      200,
      { delivered: true, status: 201, duration_ms: expect.any(Number), error: null, response: 'hm' },
    ]);
    expect((await send(`${receiver.origin}/ill`)).json).toMatchObject({ delivered: false, status: 500 });
    expect((await send(`${receiver.origin}/hangs`)).json).toMatchObject({
      delivered: false,
      status: null,
      error: 'no status line and headers within 1 s',
      response: '',
    });
    expect((await app.request('GET', '/api/v1/deliveries/', { token })).json).toEqual([]);
  });

  test('a redelivery under one Idempotency-Key happens once', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver();
    const { uuid } = (await subscribe(token, receiver.url)).json;
    await post(token);
    const [logged] = await until(async () => {
      const { json } = await app.request('GET', '/api/v1/deliveries/?state=delivered', { token });
      return json.length > 0 && json;
    });
    const headers = { 'Idempotency-Key': randomUUID() };
    const path = `/api/v1/webhooks/${uuid}/deliveries/${logged.id}/redeliver/`;
    const first = await app.request('POST', path, { token, headers });
    const again = await app.request('POST', path, { token, headers });
    expect(again.json.id).toBe(first.json.id);
    await until(() => receiver.hits.length === 2);
    // A second one would follow at once.
    await sleep(200);
    expect(receiver.hits).toHaveLength(2);
  });
});
