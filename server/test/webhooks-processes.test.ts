import { describe, expect, test } from 'vitest';
import { newEvent } from '../src/events/events.ts';
import { sleep, startReceiver, until, webhookParts } from './webhooks-parts.ts';

const start = webhookParts();

const numbered = (count: number): { n: number }[] => Array.from({ length: count }, (_, n) => ({ n }));
const SHARED = { isOnlyProcess: false, timing: { beatEvery: 100, deadAfter: 800, wokenEvery: 20 } };

describe('several senders on one database', () => {
  test('share the work without sending twice', async () => {
    // On a busy machine none is dead, and no receiver late, that is slow.
    const patient = {
      ...SHARED,
      timing: { ...SHARED.timing, deadAfter: 10_000 },
      env: { WEBHOOK_TIMEOUT: '60s' },
    };
    const parts = [await start(patient)];
    for (let i = 0; i < 2; i++) parts.push(await start({ ...patient, keep: true }));
    const [first] = parts;
    if (!first) throw new Error();
    const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
    for (const { url } of receivers) await first.subscribe(url);
    const events = numbered(60).map((data) => newEvent('message.added', first.account, new Date(), data));
    // Each event is announced by one process; they come in side by side.
    await Promise.all(
      parts.map(async ({ consume }, index) => {
        for (let at = index; at < events.length; at += parts.length) await consume(events.slice(at, at + 1));
      }),
    );
    await until(async () => (await first.rows()).filter(({ state }) => state === 'delivered').length === 180);
    await sleep(300);
    for (const { hits } of receivers) {
      expect(hits).toHaveLength(60);
      expect(new Set(hits.map(({ headers }) => headers['webhook-id'])).size).toBe(60);
    }
    expect((await first.rows()).every(({ tries }) => tries === 1)).toBe(true);
  });

  test('keep the limits together', async () => {
    const first = await start(SHARED);
    const second = await start({ ...SHARED, keep: true });
    await until(async () => (await first.models.webhookSenders.countDocuments({})) === 2);
    const receiver = await startReceiver(() => sleep(30));
    await first.subscribe(receiver.url);
    const events = numbered(60).map((data) => newEvent('message.added', first.account, new Date(), data));
    await Promise.all([first.consume(events.slice(0, 30)), second.consume(events.slice(30))]);
    await until(() => receiver.hits.length === 60);
    expect(receiver.mostOpen).toBe(4);
  });

  test('what one queues for an origin of the other goes out', async () => {
    const first = await start(SHARED);
    const second = await start({ ...SHARED, keep: true });
    const receiver = await startReceiver();
    await first.subscribe(receiver.url);
    await first.happen({ n: 0 });
    await until(() => receiver.hits.length === 1);
    await second.consume([newEvent('message.added', first.account, new Date(), { n: 1 })]);
    await until(() => receiver.hits.length === 2);
    expect(receiver.hits.map(({ json }) => json.data.n)).toEqual([0, 1]);
  });

  test('one that stops gives back what it owns at once', async () => {
    const first = await start(SHARED);
    const receiver = await startReceiver((_, response, number) =>
      response.writeHead(number > 4 ? 200 : 503).end(),
    );
    await first.subscribe(receiver.url);
    await first.happen(numbered(4));
    await until(() => receiver.hits.length === 4);
    const second = await start({ ...SHARED, keep: true });
    await first.sender.stop();
    await until(() => receiver.hits.length === 8);
    expect(await second.models.webhookSenders.countDocuments({})).toBe(1);
  });

  test('one that dies is found out, and another takes over', async () => {
    const first = await start(SHARED);
    const receiver = await startReceiver();
    const uuid = await first.subscribe(receiver.url);
    await start({ ...SHARED, keep: true });
    // A sender that died: it owns the origin, shows no life, and what it was told of is in the queue.
    await first.models.webhookSenders.insertOne({ _id: 'dead', beat: 7 });
    await first.models.webhookOrigins.insertOne({
      _id: receiver.origin,
      owner: 'dead',
      paused: false,
      woken: [],
    });
    await first.happen(numbered(3));
    await until(() => receiver.hits.length === 3);
    await first.decided(uuid, 'delivered');
    expect(await first.models.webhookSenders.countDocuments({ _id: 'dead' })).toBe(0);
    expect((await first.models.webhookOrigins.findOne({ _id: receiver.origin }).lean())?.owner).not.toBe(
      'dead',
    );
  });

  test('one that others thought dead begins anew, and sends on', async () => {
    const first = await start(SHARED);
    const receiver = await startReceiver();
    await first.subscribe(receiver.url);
    await first.happen({ n: 0 });
    await until(() => receiver.hits.length === 1);
    const [sender] = await first.models.webhookSenders.find({}).lean();
    await first.models.webhookSenders.deleteOne({ _id: sender?._id });
    await until(async () => (await first.models.webhookSenders.find({}).lean())[0]);
    await first.happen(numbered(3));
    await until(() => receiver.hits.length === 4);
    expect((await first.models.webhookSenders.find({}).lean())[0]?._id).not.toBe(sender?._id);
  });

  test('what a killed process left in the queue is sent by the next one', async () => {
    const first = await start();
    const receiver = await startReceiver();
    const uuid = await first.subscribe(receiver.url);
    await first.sender.stop();
    await first.happen(numbered(10));
    // As the killed process left it.
    await first.models.webhookSenders.insertOne({ _id: 'killed', beat: 7 });
    await first.models.webhookOrigins.insertOne({
      _id: receiver.origin,
      owner: 'killed',
      paused: false,
      woken: [],
    });
    // The lease would run out in an hour: who is alone waits for none.
    const next = await start({ keep: true, isOnlyProcess: true, timing: { deadAfter: 3_600_000 } });
    await until(() => receiver.hits.length === 10);
    await until(async () => (await first.rows(uuid)).every(({ state }) => state === 'delivered'));
    expect(receiver.hits).toHaveLength(10);
    await next.sender.stop();
  });
});

describe('the end', () => {
  test('a stopping sender finishes and records what is under way', async () => {
    const { sender, subscribe, happen, rows } = await start();
    const receiver = await startReceiver(() => sleep(300));
    const uuid = await subscribe(receiver.url);
    await happen(numbered(10));
    await until(() => receiver.open === 4);
    await sender.stop();
    const states = (await rows(uuid)).map(({ state }) => state);
    expect(states.filter((state) => state === 'delivered')).toHaveLength(4);
    await sleep(100);
    expect(receiver.hits).toHaveLength(4);
  });
});
