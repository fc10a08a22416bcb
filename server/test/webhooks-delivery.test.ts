import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newEvent } from '../src/events/events.ts';
import { newDelivery } from '../src/features/webhooks/delivery-body.ts';
import { sleep, startReceiver, until, webhookParts } from './webhooks-parts.ts';

const start = webhookParts();

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

  test('waits as long as Retry-After says', async () => {
    const { subscribe, happen, rows } = await start();
    const receiver = await startReceiver((_, response) =>
      response.writeHead(429, { 'Retry-After': '1800' }).end(),
    );
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const row = await until(async () => (await rows(uuid)).find(({ tries }) => tries === 1));
    const wait = (row.due_at?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(1_790_000);
    expect(wait).toBeLessThanOrEqual(1_800_000);
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

describe('a webhook that changes', () => {
  test('what waits goes to its present target, with the bytes as they were', async () => {
    const { account, webhooks, subscribe, happen, decided, rows } = await start();
    const [old, present] = [await startReceiver((_, r) => r.writeHead(500).end()), await startReceiver()];
    const uuid = await subscribe(old.url);
    await happen({ n: 1 });
    await until(async () => (await rows(uuid))[0]?.tries);
    await webhooks.change(account, uuid, { target: present.url }, undefined);
    await decided(uuid, 'delivered');
    expect(present.hits).toHaveLength(1);
    expect(present.hits[0]?.body).toBe(old.hits[0]?.body);
    expect(present.hits[0]?.headers['webhook-id']).toBe(old.hits[0]?.headers['webhook-id']);
    const before = old.hits.length;
    await happen({ n: 2 });
    await until(() => present.hits.length === 2);
    expect(present.hits[1]?.json.webhook.target).toBe(present.url);
    expect(old.hits).toHaveLength(before);
  });

  test('to another origin while a request is under way: it ends first, and nothing is sent twice', async () => {
    const { account, webhooks, subscribe, happen, rows } = await start({ limits: { perQueue: 1 } });
    const old = await startReceiver(() => sleep(300));
    const present = await startReceiver();
    const uuid = await subscribe(old.url);
    await happen([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await until(() => old.open === 1);
    await webhooks.change(account, uuid, { target: present.url }, undefined);
    await until(async () => (await rows(uuid)).every(({ state }) => state === 'delivered'));
    expect(old.hits.map(({ json }) => json.data.n)).toEqual([1]);
    expect(present.hits.map(({ json }) => json.data.n)).toEqual([2, 3]);
  });

  test('deleted: what waits is dropped, and stays in the log', async () => {
    const { account, webhooks, subscribe, happen, rows } = await start();
    const receiver = await startReceiver((_, response) => response.writeHead(500).end());
    const uuid = await subscribe(receiver.url);
    await happen([{ n: 1 }, { n: 2 }]);
    await until(async () => (await rows(uuid)).every(({ tries }) => tries > 0));
    await webhooks.delete(account, uuid, undefined);
    const states = (await rows(uuid)).map(({ state, queue }) => [state, queue]);
    expect(states).toEqual([
      ['dropped', undefined],
      ['dropped', undefined],
    ]);
    const before = receiver.hits.length;
    await sleep(400);
    expect(receiver.hits).toHaveLength(before);
  });

  test('deleted with a long queue: nobody waits for the end of it, and all of it is dropped', async () => {
    const { account, webhooks, subscribe, models } = await start({ limits: { pauseAfter: 1 } });
    const receiver = await startReceiver((_, response) => response.writeHead(503).end());
    const uuid = await subscribe(receiver.url);
    const rows = Array.from({ length: 2_000 }, (_, n) =>
      newDelivery(newEvent('message.added', account, new Date(), { n }), {
        _id: uuid,
        event: 'message.added',
        target: receiver.url,
      }),
    );
    await models.deliveries.insertMany(rows);
    await webhooks.delete(account, uuid, undefined);
    const dropped = () => models.deliveries.countDocuments({ state: 'dropped' });
    expect(await dropped()).toBeLessThan(2_000);
    await until(async () => (await dropped()) === 2_000, 'the end of the queue', 60_000);
    expect(await models.deliveries.countDocuments({ queue: uuid })).toBe(0);
  }, 120_000);

  test('deleted while a request is under way: the log says truly that it arrived', async () => {
    const { account, webhooks, subscribe, happen, decided } = await start();
    const receiver = await startReceiver(() => sleep(300));
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    await until(() => receiver.open === 1);
    await webhooks.delete(account, uuid, undefined);
    const delivery = await decided(uuid, 'delivered');
    expect(delivery.attempts).toHaveLength(1);
  });

  test('deleted by a process that died before it dropped what waits: another one drops it', async () => {
    const { account, models, sender, subscribe, happen, decided, rows } = await start();
    const receiver = await startReceiver((_, response) =>
      response.writeHead(503, { 'Retry-After': '60' }).end(),
    );
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    await until(async () => (await rows(uuid))[0]?.tries);
    await models.webhooks.deleteOne({ _id: uuid, account });
    // What another process does is known here a moment later.
    await sleep(500);
    await models.deliveries.updateMany({ queue: uuid }, { $set: { due_at: new Date(0) } });
    sender.wake();
    await decided(uuid, 'dropped');
    expect(receiver.hits).toHaveLength(1);
  });

  test('its secret rotated: both secrets sign', async () => {
    const { account, webhooks, subscribe, happen, decided } = await start();
    const receiver = await startReceiver();
    const uuid = await subscribe(receiver.url);
    const previous = await webhooks.secret(account, uuid);
    const { previous_expires_at } = await webhooks.rotateSecret(account, uuid);
    const present = await webhooks.secret(account, uuid);
    expect(present).not.toBe(previous);
    expect(Math.round(((previous_expires_at?.getTime() ?? 0) - Date.now()) / 60_000)).toBe(24 * 60);
    await happen({ n: 1 });
    await decided(uuid, 'delivered');
    const [hit] = receiver.hits;
    for (const secret of [present, previous]) {
      new Webhook(secret).verify(hit?.body ?? '', hit?.headers as Record<string, string>);
    }
  });

  test('the old secret signs no more after its time', async () => {
    const { account, models, webhooks, subscribe, happen, decided } = await start();
    const receiver = await startReceiver();
    const uuid = await subscribe(receiver.url);
    await webhooks.rotateSecret(account, uuid);
    await models.webhooks.updateOne(
      { _id: uuid },
      { $set: { previous_expires_at: new Date(Date.now() - 1) } },
    );
    await happen({ n: 1 });
    await decided(uuid, 'delivered');
    expect(String(receiver.hits[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });
});

describe('a webhook that fails on', () => {
  const fail = async (days: number, attempts: number) => {
    const parts = await start({ env: { WEBHOOK_RETRY_DELAYS: '10s' } });
    const receiver = await startReceiver((_, response) => response.writeHead(500).end());
    const uuid = await parts.subscribe(receiver.url);
    const failing_since = new Date(Date.now() - days * 86_400_000);
    await parts.models.webhooks.updateOne(
      { _id: uuid },
      { $set: { failing_since, failed_attempts: attempts } },
    );
    await parts.happen([{ n: 1 }]);
    const find = () => parts.models.webhooks.findOne({ _id: uuid }).lean();
    await until(async () => (await find())?.failed_attempts !== attempts);
    // Counting and unsubscribing are two writes.
    if (days >= 5 && attempts >= 19) await until(async () => (await find()) === null);
    const webhook = await find();
    if (!webhook) await parts.decided(uuid, 'dropped');
    return { webhook, rows: await parts.rows(uuid) };
  };

  test('for 5 days and 20 attempts is unsubscribed, and what waits is dropped', async () => {
    const { webhook, rows } = await fail(5, 19);
    expect(webhook).toBeNull();
    expect(rows[0]).toMatchObject({ state: 'dropped', tries: 1 });
  });

  test.each([
    [4.9, 500],
    [30, 18],
  ])('for %f days and %i attempts stays', async (days, attempts) => {
    const { webhook, rows } = await fail(days, attempts);
    expect(webhook?.failed_attempts).toBe(attempts + 1);
    expect(rows[0]).toMatchObject({ state: 'pending', tries: 1 });
  });

  test('and then succeeds begins anew', async () => {
    const { models, subscribe, happen, decided } = await start({
      env: { WEBHOOK_RETRY_DELAYS: '50ms,3s' },
    });
    const receiver = await startReceiver((_, response, number) =>
      response.writeHead(number < 3 ? 500 : 200).end(),
    );
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    await until(async () => (await models.webhooks.findOne({ _id: uuid }).lean())?.failed_attempts === 2);
    await decided(uuid, 'delivered');
    await until(async () => !(await models.webhooks.findOne({ _id: uuid }).lean())?.failing_since);
    expect((await models.webhooks.findOne({ _id: uuid }).lean())?.failed_attempts).toBeUndefined();
  });
});

describe('redelivery and test', () => {
  test('a redelivery is a new delivery of the same event', async () => {
    const { account, deliveries, subscribe, happen, decided, rows } = await start();
    const receiver = await startReceiver();
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const original = await decided(uuid, 'delivered');
    const again = await deliveries.redeliver(account, original._id);
    expect(again._id).not.toBe(original._id);
    await until(() => receiver.hits.length === 2);
    expect(receiver.hits[1]?.body).toBe(receiver.hits[0]?.body);
    expect(receiver.hits[1]?.headers['webhook-id']).toBe(receiver.hits[0]?.headers['webhook-id']);
    await until(async () => (await rows(uuid)).filter(({ state }) => state === 'delivered').length === 2);
  });

  test('a redelivery that fails is retried like any other', async () => {
    const { account, deliveries, subscribe, happen, decided, rows } = await start();
    const receiver = await startReceiver((_, response, number) =>
      response.writeHead(number === 2 ? 500 : 200).end(),
    );
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const original = await decided(uuid, 'delivered');
    const again = await deliveries.redeliver(account, original._id);
    const row = await until(async () =>
      (await rows(uuid)).find(({ _id, state }) => _id === again._id && state === 'delivered'),
    );
    expect(row.attempts.map(({ status }) => status)).toEqual([500, 200]);
  });

  test('of a deleted webhook is refused', async () => {
    const { account, deliveries, webhooks, subscribe, happen, decided } = await start();
    const receiver = await startReceiver();
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const original = await decided(uuid, 'delivered');
    await webhooks.delete(account, uuid, undefined);
    await expect(deliveries.redeliver(account, original._id)).rejects.toMatchObject({ code: 'conflict' });
  });

  test.each([
    'chat.added',
    'message.added',
    'lead.added',
    'lead.changed',
    'keyword_notification.added',
  ] as const)('a test sends a sample of %s, signed', async (event) => {
    const { account, deliveries, webhooks, subscribe, rows } = await start();
    const receiver = await startReceiver((_, response) => response.writeHead(418).end('short and stout'));
    const uuid = await subscribe(receiver.url, event);
    const result = await deliveries.test(account, uuid);
    expect(result).toMatchObject({
      delivered: false,
      status: 418,
      error: 'answered 418',
      response: 'short and stout',
    });
    const [hit] = receiver.hits;
    expect(hit?.json.webhook).toEqual({ uuid, event, target: receiver.url });
    const secret = await webhooks.secret(account, uuid);
    new Webhook(secret).verify(hit?.body ?? '', hit?.headers as Record<string, string>);
    expect(await rows()).toEqual([]);
  });
});
