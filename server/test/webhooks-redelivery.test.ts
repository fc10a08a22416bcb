import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { startReceiver, until, webhookParts } from './webhooks-parts.ts';

const start = webhookParts();

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
