import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { expect, test } from 'vitest';
import type { StoredDelivery } from '../src/features/webhooks/deliveries.model.ts';
import { placeOf } from '../src/platform/secrets.ts';
import { type Parts, SECRETS, startReceiver, until, webhookParts } from './webhooks-parts.ts';

const start = webhookParts();

type Damage = Partial<Record<keyof StoredDelivery, unknown>>;

const copyOf = (row: StoredDelivery, damage: Damage, sequence = ''): StoredDelivery => {
  const { expires_at: _, ...rest } = row;
  const waiting = {
    state: 'pending',
    queue: row.webhook,
    due_at: new Date(),
    sequence,
    tries: 0,
    attempts: [],
  };
  return { ...rest, ...waiting, _id: randomUUID(), event_id: randomUUID(), ...damage } as StoredDelivery;
};

/** Lets a damaged row wait beside what a webhook was sent, as it may come by an import. */
const wait = async ({ models, sender, rows }: Parts, webhook: string, damage: Damage, origin: string) => {
  const [row] = (await rows(webhook)) as [StoredDelivery];
  const copy = copyOf(row, damage);
  await models.deliveries.collection.insertOne(copy as never);
  await sender.notify(origin, webhook);
  return copy;
};

const DAMAGES: Damage[] = [
  { tries: null },
  { tries: 'many' },
  { tries: -7 },
  { attempts: null },
  { attempts: 'none' },
];

test.each(['/well', '/ill'])('damaged rows of a webhook at %s keep no other result back', async (path) => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const parts = await start({ log, limits: { pauseAfter: 10_000 } });
  const receiver = await startReceiver((hit, response) => {
    if (hit.path === '/ill') response.writeHead(500).end();
  });
  const damaged = await parts.subscribe(`${receiver.origin}${path}`);
  await parts.happen({ n: 1 });
  const end = path === '/well' ? 'delivered' : 'failed';
  await parts.decided(damaged, end);
  const attempts = receiver.hits.length;
  for (const damage of DAMAGES) {
    const { _id, event_id } = await wait(parts, damaged, damage, receiver.origin);
    const row = await until(
      async () => (await parts.rows(damaged)).find((one) => one._id === _id && one.state === end),
      `a delivery with ${JSON.stringify(damage)}`,
    );
    // Tried as often as any other, and then out of its queue.
    expect(receiver.hits.filter(({ headers }) => headers['webhook-id'] === event_id)).toHaveLength(attempts);
    expect(row).toMatchObject({ tries: attempts, attempts: Array(attempts).fill({ at: expect.any(Date) }) });
    expect(row.queue).toBeUndefined();
  }
  expect(lines.filter((line) => line.includes('its row was damaged'))).toHaveLength(2);
  // Many at once, of which one is damaged.
  const other = await parts.subscribe(`${receiver.origin}/other`);
  const [row] = (await parts.rows(damaged)) as [StoredDelivery];
  const copies = Array.from({ length: 12 }, (_, n) => copyOf(row, n === 7 ? { attempts: null } : {}, `${n}`));
  await parts.models.deliveries.collection.insertMany(copies as never[]);
  await parts.sender.notify(receiver.origin, damaged);
  await parts.happen({ n: 2 });
  await parts.decided(other, 'delivered');
  await until(async () => (await parts.rows(damaged)).every(({ state }) => state === end));
});

/** What a webhook has for a secret: sealed by no key, or by this one, as an older version may have read it in. */
const SIGNING_NOTHING: [string, (webhook: string, account: string) => string][] = [
  ['can not be opened', () => 'v2.AAAAAAAAAAAAAAAA.BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB'],
  ...['x', 'whsec_', 'whsec_!'].map((secret): (typeof SIGNING_NOTHING)[number] => [
    `is ${secret}`,
    (_id, account) => SECRETS.encrypt(secret, placeOf({ _id, account }, 'secret_sealed')),
  ]),
];

test.each(SIGNING_NOTHING)(
  'a webhook whose secret %s fails by itself, in words, and is not paused or unsubscribed',
  async (_, sealed) => {
    const parts = await start({ limits: { pauseAfter: 1, probeEvery: 100 } });
    const receiver = await startReceiver();
    const damaged = await parts.subscribe(`${receiver.origin}/damaged`);
    const secret_sealed = sealed(damaged, parts.account);
    await parts.models.webhooks.updateOne({ _id: damaged }, { $set: { secret_sealed } });
    const other = await parts.subscribe(`${receiver.origin}/other`);
    await parts.happen({ n: 1 });
    await parts.decided(other, 'delivered');
    await parts.decided(damaged, 'failed');
    const [row] = (await parts.rows(damaged)) as [StoredDelivery];
    expect(row.attempts.at(-1)).toMatchObject({ status: null, error: expect.stringContaining('rotate it') });
    await parts.happen({ n: 2 });
    await until(() => receiver.hits.length === 2, 'the next delivery');
    expect(receiver.hits.map(({ path }) => path)).toEqual(['/other', '/other']);
    expect(await parts.models.webhooks.findOne({ _id: damaged }).lean()).not.toHaveProperty('failing_since');
    // Rotated it delivers.
    await parts.webhooks.rotateSecret(parts.account, damaged);
    await parts.deliveries.redeliver(parts.account, row._id);
    await parts.decided(damaged, 'delivered');
  },
);

test('a body that names no uuid keeps no result back', async () => {
  const told: unknown[] = [];
  const parts = await start({ markSent: async (notification) => void told.push(notification) });
  const receiver = await startReceiver();
  const webhook = await parts.subscribe(receiver.url, 'keyword_notification.added');
  await parts.happen({ uuid: 'first' }, 'keyword_notification.added');
  await parts.decided(webhook, 'delivered');
  for (const uuid of [{ $ne: null }, ['a'], 5, null]) {
    const body = JSON.stringify({ data: { uuid } });
    const { _id } = await wait(parts, webhook, { body }, receiver.origin);
    await until(async () => (await parts.rows(webhook)).some((row) => row._id === _id && !row.queue));
  }
  expect(told).toEqual(['first']);
});

test('a delivery is not sent again to a webhook that another account has', async () => {
  const parts = await start();
  const receiver = await startReceiver();
  const webhook = await parts.subscribe(receiver.url);
  await parts.happen({ n: 1 });
  await parts.decided(webhook, 'delivered');
  const [row] = (await parts.rows(webhook)) as [StoredDelivery];
  const account = randomUUID();
  const foreign = copyOf(row, { account, state: 'failed', queue: undefined });
  await parts.models.deliveries.collection.insertOne(foreign as never);
  await expect(parts.deliveries.redeliver(account, foreign._id)).rejects.toMatchObject({ code: 'conflict' });
  expect(receiver.hits).toHaveLength(1);
});

test('a decided row that stands in a queue is not sent, and the queue can be dropped', async () => {
  const parts = await start();
  const receiver = await startReceiver();
  const webhook = await parts.subscribe(receiver.url);
  await parts.happen({ n: 1 });
  await parts.decided(webhook, 'delivered');
  const [row] = (await parts.rows(webhook)) as [StoredDelivery];
  const copies = Array.from({ length: 600 }, () => copyOf(row, { state: 'delivered' }));
  await parts.models.deliveries.collection.insertMany(copies as never[]);
  await parts.happen({ n: 2 });
  await until(() => receiver.hits.length === 2);
  await parts.sender.deleted(webhook);
  await until(async () => (await parts.rows(webhook)).every(({ queue }) => queue === undefined));
  expect(receiver.hits).toHaveLength(2);
});
