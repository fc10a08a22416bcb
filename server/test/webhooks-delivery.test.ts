import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { newEvent } from '../src/events/events.ts';
import { sleep, startReceiver, until, webhookParts } from './webhooks-parts.ts';

const start = webhookParts();
afterEach(() => vi.unstubAllEnvs());

describe('a delivery', () => {
  test('is the contract’s body and headers, signed', async () => {
    const { account, webhooks, subscribe, happen, decided } = await start();
    const receiver = await startReceiver();
    const uuid = await subscribe(receiver.url);
    const secret = await webhooks.secret(account, uuid);
    const data = { uuid: 'x', body: 'Grüße 🦉', room: { uuid: 'y', label: 'z' } };
    await happen(data);
    const delivery = await decided(uuid, 'delivered');
    const [hit] = receiver.hits;
    if (!hit) throw new Error('nothing came');
    const webhook = { uuid, event: 'message.added', target: receiver.url };
    expect(hit.body).toBe(JSON.stringify({ data, webhook }));
    expect(hit.headers['content-type']).toBe('application/json');
    expect(hit.headers['user-agent']).toMatch(/^Parlor-Webhooks\/\d+\.\d+\.\d+$/);
    expect(hit.headers['webhook-id']).toBe(delivery.event_id);
    expect(new Webhook(secret).verify(hit.body, hit.headers as Record<string, string>)).toEqual({
      data,
      webhook,
    });
    expect(delivery).toMatchObject({ state: 'delivered', tries: 1, event: 'message.added', webhook: uuid });
    expect(delivery.attempts).toMatchObject([{ status: 200, error: null, response: 'ok' }]);
    expect(delivery.expires_at?.getTime()).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    expect([delivery.queue, delivery.due_at, delivery.sequence]).toEqual([undefined, undefined, undefined]);
  });

  test('goes to each webhook of its event and account, and to no other', async () => {
    const { subscribe, happen, decided } = await start();
    const [a, b, other, foreign] = await Promise.all([
      startReceiver(),
      startReceiver(),
      startReceiver(),
      startReceiver(),
    ]);
    const first = await subscribe(a.url);
    const second = await subscribe(b.url);
    await subscribe(other.url, 'chat.added');
    const stranger = await start({ keep: true, isOnlyProcess: false });
    await stranger.subscribe(foreign.url);
    await happen({ n: 1 });
    await decided(first, 'delivered');
    await decided(second, 'delivered');
    await sleep(100);
    expect([a, b, other, foreign].map(({ hits }) => hits.length)).toEqual([1, 1, 0, 0]);
    expect(a.hits[0]?.headers['webhook-id']).not.toBe(b.hits[0]?.headers['webhook-id']);
  });

  test('is retried with the same bytes and id until it is answered 2xx', async () => {
    const { subscribe, happen, decided } = await start();
    const receiver = await startReceiver((_, response, number) => {
      response.statusCode = number < 3 ? 500 : 204;
      response.end();
    });
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const delivery = await decided(uuid, 'delivered');
    expect(delivery.attempts.map(({ status, error }) => [status, error])).toEqual([
      [500, 'answered 500'],
      [500, 'answered 500'],
      [204, null],
    ]);
    expect(new Set(receiver.hits.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [first = 0, second = 0, third = 0] = receiver.hits.map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(38);
    expect(third - second).toBeGreaterThanOrEqual(78);
  });

  test('has failed after the last retry, and its webhook stays', async () => {
    const { account, webhooks, subscribe, happen, decided } = await start();
    const receiver = await startReceiver((_, response) => response.writeHead(404).end('no such hook'));
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const delivery = await decided(uuid, 'failed');
    expect(delivery.attempts).toHaveLength(4);
    expect(delivery.attempts[3]).toMatchObject({
      status: 404,
      error: 'answered 404',
      response: 'no such hook',
    });
    expect(receiver.hits).toHaveLength(4);
    expect((await webhooks.get(account, uuid))._id).toBe(uuid);
  });

  /** In half an hour, in the oldest form that receivers may write (RFC 9110, 5.6.7): `Sun Nov  6 08:49:37 1994`, in UTC. */
  const asctime = () =>
    new Date(Date.now() + 1_800_000)
      .toUTCString()
      .replace(/^(...), 0?(\d+) (...) (\d{4}) (.{8}) GMT$/, (_, day, date, month, year, time) =>
        [day, month, date.padStart(2), time, year].join(' '),
      );

  test.each([
    ['seconds', () => '1800', 1_800_000],
    ['more seconds than are waited', () => '86400', 3_600_000],
    ['eleven digits', () => '99999999999', 3_600_000],
    ['a number beyond all numbers', () => '9'.repeat(400), 3_600_000],
    ['a date', () => new Date(Date.now() + 1_800_000).toUTCString(), 1_800_000],
    ['a date as C writes it', asctime, 1_800_000],
  ])('waits as long as Retry-After says by %s, wherever the server stands', async (_, header, wanted) => {
    for (const zone of ['Asia/Tokyo', 'America/New_York']) {
      vi.stubEnv('TZ', zone);
      expect(new Date(0).getHours()).toBe(zone === 'Asia/Tokyo' ? 9 : 19);
      const { subscribe, happen, rows } = await start();
      const receiver = await startReceiver((_, response) =>
        response.writeHead(429, { 'Retry-After': header() }).end(),
      );
      const uuid = await subscribe(receiver.url);
      await happen({ n: 1 });
      const row = await until(async () => (await rows(uuid)).find(({ tries }) => tries > 0));
      const wait = (row.due_at?.getTime() ?? 0) - Date.now();
      expect(wait).toBeGreaterThan(wanted - 20_000);
      expect(wait).toBeLessThanOrEqual(wanted);
    }
  });

  test('answered 410 unsubscribes, and drops what else waits', async () => {
    const { account, webhooks, subscribe, happen, decided, rows } = await start({
      limits: { perQueue: 1 },
    });
    const receiver = await startReceiver(async (_, response) => {
      await sleep(50);
      response.writeHead(410).end();
    });
    const uuid = await subscribe(receiver.url);
    await happen([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await decided(uuid, 'failed');
    await until(async () => (await rows(uuid)).every(({ state }) => state !== 'pending'));
    await expect(webhooks.get(account, uuid)).rejects.toThrow('Not found.');
    // Whoever has said that it is gone is asked no more, however long the deletion takes.
    expect(receiver.hits).toHaveLength(1);
    const states = (await rows(uuid)).map(({ state }) => state);
    expect(states.sort()).toEqual(['dropped', 'dropped', 'failed']);
    await happen({ n: 4 });
    expect(await rows(uuid)).toHaveLength(3);
  });

  test('does not follow redirects', async () => {
    const { subscribe, happen, rows } = await start();
    const inside = await startReceiver();
    const receiver = await startReceiver((_, response) =>
      response.writeHead(307, { Location: inside.url }).end(),
    );
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const row = await until(async () => (await rows(uuid)).find(({ tries }) => tries > 0));
    expect(row.attempts[0]).toMatchObject({ status: 307, error: 'answered 307; redirects are not followed' });
    expect(inside.connections).toBe(0);
  });
});

describe('who gets an event', () => {
  test('not a webhook that came after it', async () => {
    const { account, subscribe, consume, rows } = await start();
    const receiver = await startReceiver();
    const event = newEvent('message.added', account, new Date(Date.now() - 1), { n: 1 });
    await subscribe(receiver.url);
    await sleep(5);
    await consume([event]);
    expect(await rows()).toHaveLength(0);
  });

  test('nor one that listened to another event then', async () => {
    const { account, subscribe, webhooks, consume, rows } = await start();
    const receiver = await startReceiver();
    const uuid = await subscribe(receiver.url, 'chat.added');
    const event = newEvent('message.added', account, new Date(), { n: 1 });
    await sleep(5);
    await webhooks.change(account, uuid, { event: 'message.added' }, undefined);
    await consume([event]);
    expect(await rows()).toHaveLength(0);
  });

  test('each once, however often and wherever the event is announced', async () => {
    // A machine under load must not make an attempt fail, which would be repeated.
    const options = { isOnlyProcess: false, env: { WEBHOOK_TIMEOUT: '15s' } };
    const first = await start(options);
    const second = await start({ ...options, keep: true });
    const receiver = await startReceiver();
    const uuid = await first.subscribe(receiver.url);
    const events = [1, 2, 3].map((n) => newEvent('message.added', first.account, new Date(), { n }));
    await Promise.all([first.consume(events), second.consume(events), first.consume(events)]);
    await until(
      async () => (await first.rows(uuid)).filter(({ state }) => state === 'delivered').length === 3,
    );
    await second.consume(events);
    await sleep(300);
    expect(receiver.hits).toHaveLength(3);
    expect(await first.rows(uuid)).toHaveLength(3);
  });
});
