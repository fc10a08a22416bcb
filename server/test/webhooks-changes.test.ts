import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newEvent } from '../src/events/events.ts';
import { newDelivery } from '../src/features/webhooks/delivery-body.ts';
import { sleep, startReceiver, until, webhookParts } from './webhooks-parts.ts';

const start = webhookParts();

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

  /**
   * Changes the target of a webhook while the last of `attempts` attempts at two deliveries is in flight at the old one, which
   * answers all with `status`.
   */
  const movedWhile = async (status: number, attempts: number, isByOther = false, known: object = {}) => {
    const options = {
      isOnlyProcess: !isByOther,
      env: { WEBHOOK_RETRY_DELAYS: '10ms', WEBHOOK_TIMEOUT: '15s' },
    };
    const parts = await start(options);
    const present = await startReceiver();
    let answer = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const old = await startReceiver(async (_, response, number) => {
      if (number > 2 * (attempts - 1)) await told;
      response.writeHead(status).end();
    });
    const uuid = await parts.subscribe(old.url);
    await parts.models.webhooks.updateOne({ _id: uuid }, { $set: known });
    await parts.happen([{ n: 1 }, { n: 2 }]);
    await until(() => old.hits.length === 2 * attempts && old.open === 2);
    const { webhooks } = isByOther ? await start({ ...options, keep: true }) : parts;
    return { ...parts, uuid, old, present, answer, webhooks };
  };

  test.each([
    ['a 410', 410, 1, false],
    ['a 410, in another process,', 410, 1, true],
    ['the failure of the last attempts', 404, 2, false],
  ])(
    'while %s of its old target is under way: the present one gets what waits',
    async (_, status, attempts, isByOther) => {
      const { account, webhooks, uuid, present, rows, answer } = await movedWhile(
        status,
        attempts,
        isByOther,
      );
      await webhooks.change(account, uuid, { target: present.url }, undefined);
      answer();
      await until(async () => (await rows(uuid)).every(({ state }) => state !== 'pending'));
      expect((await rows(uuid)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
      expect(new Set(present.hits.map(({ json }) => json.data.n))).toEqual(new Set([1, 2]));
      expect((await webhooks.get(account, uuid)).target).toBe(present.url);
      if (isByOther) return;
      const tried = [...Array(attempts).fill(status), 200];
      for (const row of await rows(uuid))
        expect(row.attempts.map((attempt) => attempt.status)).toEqual(tried);
    },
  );

  test('while its old target succeeds: what failed at the present one counts', async () => {
    const failing = { failing_since: new Date(0), failed_at: new Date(0), failed_attempts: 7 };
    const parts = await movedWhile(200, 1, false, failing);
    const { account, models, sender, webhooks, uuid, present, answer } = parts;
    await webhooks.change(account, uuid, { target: present.url }, undefined);
    await models.webhooks.updateOne({ _id: uuid }, { $set: failing });
    answer();
    // It ends when all that follows from attempts is written down.
    await sender.stop();
    expect(await models.webhooks.findOne({ _id: uuid }).lean()).toMatchObject(failing);
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
  });

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
  const fail = async (days: number, attempts: number, others: { failed_at?: Date } = {}) => {
    const parts = await start({ env: { WEBHOOK_RETRY_DELAYS: '10s' } });
    const receiver = await startReceiver((_, response) => response.writeHead(500).end());
    const uuid = await parts.subscribe(receiver.url);
    const failing_since = new Date(Date.now() - days * 86_400_000);
    await parts.models.webhooks.updateOne(
      { _id: uuid },
      { $set: { failing_since, failed_attempts: attempts, ...others } },
    );
    await parts.happen([{ n: 1 }]);
    const find = () => parts.models.webhooks.findOne({ _id: uuid }).lean();
    await until(async () => (await find())?.failed_attempts !== attempts);
    // Counting and what follows from it are two writes.
    if (others.failed_at)
      await until(async () => Number((await find())?.failing_since) > Number(failing_since));
    else if (days >= 5 && attempts >= 19) await until(async () => (await find()) === null);
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

  test('after a clock that was set days ahead stays', async () => {
    const HOUR_MS = 3_600_000;
    const failed_at = new Date(Date.now() - 11 * 24 * HOUR_MS);
    const { webhook } = await fail(12, 19, { failed_at });
    expect(webhook?.failed_attempts).toBe(20);
    // A day before, and 30 hours of the pause.
    const failingFor = Date.now() - Number(webhook?.failing_since);
    expect(Math.round(failingFor / HOUR_MS)).toBe(54);
  });

  test('after days in which the server was off stays, however many attempts fail at once', async () => {
    const { models, subscribe, happen } = await start({ env: { WEBHOOK_RETRY_DELAYS: '1h' } });
    const receiver = await startReceiver((_, response) => response.writeHead(500).end());
    const uuid = await subscribe(receiver.url);
    const failed_at = new Date(Date.now() - 6 * 86_400_000);
    const failing_since = new Date(failed_at.getTime() - 7_200_000);
    await models.webhooks.updateOne(
      { _id: uuid },
      { $set: { failing_since, failed_at, failed_attempts: 25 } },
    );
    await happen([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
    await until(async () => (await models.webhooks.findOne({ _id: uuid }).lean())?.failed_attempts === 29);
    const failingFor =
      Date.now() - Number((await models.webhooks.findOne({ _id: uuid }).lean())?.failing_since);
    // Two hours before, and 30 of the pause.
    expect(Math.round(failingFor / 3_600_000)).toBe(32);
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
