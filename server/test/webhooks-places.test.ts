import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../src/events/events.ts';
import { collectGarbage } from './collect-garbage.ts';
import { type Receiver, sleep, startReceiver, until, webhookParts } from './webhooks-parts.ts';

const start = webhookParts();

const hangingReceivers = async (count: number) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const receivers = await Promise.all(Array.from({ length: count }, () => startReceiver(() => held)));
  return { receivers, release };
};

const openAt = (receivers: readonly Receiver[]) => receivers.reduce((sum, { open }) => sum + open, 0);
const hitsAt = (receivers: readonly Receiver[]) => receivers.reduce((sum, { hits }) => sum + hits.length, 0);

test('an account whose receivers hang leaves places to others, and goes on once one is free', async () => {
  const places = { together: 8, ofOwner: 4 };
  const { subscribe, happen, rows, webhooks, consume } = await start({
    places,
    env: { WEBHOOK_TIMEOUT: '60s' },
  });
  const { receivers, release } = await hangingReceivers(3);
  for (const { url } of receivers) await subscribe(url);
  await happen(Array.from({ length: 10 }, (_, n) => ({ n })));
  await until(() => openAt(receivers) === places.ofOwner);

  const well = await startReceiver(() => sleep(5));
  const other = randomUUID();
  await webhooks.create(other, { event: 'message.added', target: well.url });
  await consume(
    Array.from({ length: 20 }, (_, n) => newEvent('message.added', other, new Date(), { n, uuid: '' })),
  );
  await until(() => well.hits.length === 20);
  // An account has as many as are left to all.
  expect(well.mostOpen).toBe((places.together - places.ofOwner) / 2);
  expect([openAt(receivers), hitsAt(receivers)]).toEqual([places.ofOwner, places.ofOwner]);

  release();
  await until(async () => (await rows()).every(({ state }) => state === 'delivered'));
  expect(hitsAt(receivers)).toBe(30);
});

test('more receivers than there are places have equal turns', async () => {
  const { subscribe, happen, rows } = await start({
    places: { together: 4, ofOwner: 2 },
    env: { WEBHOOK_TIMEOUT: '60s' },
  });
  const order: number[] = [];
  const receivers = await Promise.all(
    Array.from({ length: 5 }, (_, of) =>
      startReceiver(async () => {
        order.push(of);
        await sleep(5);
      }),
    ),
  );
  for (const { url } of receivers) await subscribe(url);
  await happen(Array.from({ length: 20 }, (_, n) => ({ n })));
  await until(async () => (await rows()).every(({ state }) => state === 'delivered'));
  expect(order).toHaveLength(100);
  // Each has had a good part of its own before the first one is through.
  const last = receivers.map((_, of) => order.indexOf(of, 60));
  expect(last.filter((at) => at >= 0)).toHaveLength(5);
});

test('a body is in memory only while it is sent', async () => {
  const { subscribe, happen } = await start({
    places: { together: 8, ofOwner: 4 },
    env: { WEBHOOK_TIMEOUT: '60s' },
  });
  const { receivers, release } = await hangingReceivers(10);
  for (const { url } of receivers) await subscribe(url);
  await collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 16; n++) await happen({ n, text: 'x'.repeat(250_000) });
  await until(() => openAt(receivers) === 4);
  await sleep(500);
  await collectGarbage();
  // All of them are 40 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  release();
}, 90_000);

test('short bodies are read together, and each is sent as it is', async () => {
  const { subscribe, happen, rows, models } = await start();
  const receiver = await startReceiver();
  const uuid = await subscribe(receiver.url);
  let reads = 0;
  const count = ({ command }: CommandStartedEvent) => {
    if (command.find === 'deliveries' && command.projection?.body) reads++;
  };
  const client = models.deliveries.db.getClient();
  client.on('commandStarted', count);
  onTestFinished(() => void client.off('commandStarted', count));
  await happen(Array.from({ length: 60 }, (_, n) => ({ n, text: n === 30 ? 'x\n'.repeat(3_000) : 'x\n' })));
  await until(async () => (await rows(uuid)).every(({ state }) => state === 'delivered'));
  const sent = receiver.hits.map(({ body }) => body).toSorted();
  expect(sent).toEqual((await rows(uuid)).map(({ body }) => body).toSorted());
  expect(reads).toBeGreaterThan(1);
  expect(reads).toBeLessThan(20);
});
