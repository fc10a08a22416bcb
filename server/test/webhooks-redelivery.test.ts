import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CLOCKS_DIFFER_MS } from '../src/database/has-come.ts';
import { JobRunner } from '../src/jobs/job-runner.ts';
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

  test.each(['15s', '1h'])(
    'waits for its turn behind an attempt of %s, and clocks that differ',
    async (time) => {
      const { account, deliveries, sender, subscribe, happen, decided, rows } = await start({
        env: { WEBHOOK_TIMEOUT: time },
      });
      const open: ServerResponse[] = [];
      const receiver = await startReceiver(async (_, response, number) => {
        if (number === 1) return;
        open.push(response);
        await once(response, 'close');
      });
      const uuid = await subscribe(receiver.url);
      await happen({ n: 1 });
      const original = await decided(uuid, 'delivered');
      const { _id, created_at, due_at } = await deliveries.redeliver(account, original._id);
      const timeout = time === '1h' ? 3_600_000 : 15_000;
      expect(Number(due_at) - Number(created_at)).toBeGreaterThan(timeout + CLOCKS_DIFFER_MS);
      await until(() => open.length === 1);
      // Nor is it taken for one that waits since before the clock was put back.
      const looked = vi.spyOn(sender, 'bringForward');
      sender.wake();
      await until(() => looked.mock.settledResults.some(({ type }) => type === 'fulfilled'));
      expect((await rows(uuid)).find((row) => row._id === _id)?.due_at).toEqual(due_at);
      open[0]?.end();
      await until(async () => (await rows(uuid)).every(({ state }) => state === 'delivered'));
      expect(receiver.hits).toHaveLength(2);
    },
  );

  test('of a deleted webhook is refused', async () => {
    const { account, deliveries, webhooks, subscribe, happen, decided } = await start();
    const receiver = await startReceiver();
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const original = await decided(uuid, 'delivered');
    await webhooks.delete(account, uuid, undefined);
    await expect(deliveries.redeliver(account, original._id)).rejects.toMatchObject({ code: 'conflict' });
  });

  /** A redelivery that goes out at once, and what happens before its turn has come. */
  const redeliveredAfter = async (
    original: { _id: string },
    { account, deliveries }: Pick<Awaited<ReturnType<typeof start>>, 'account' | 'deliveries'>,
    happens: () => Promise<unknown>,
  ) => {
    const { notify } = JobRunner.prototype;
    const told = vi.spyOn(JobRunner.prototype, 'notify');
    const sent = vi.spyOn(JobRunner.prototype, 'runNow');
    onTestFinished(() => {
      told.mockRestore();
      sent.mockRestore();
    });
    told.mockImplementationOnce(async function (this: JobRunner<never, never, never>, ...where) {
      await happens();
      return notify.apply(this, where);
    });
    const again = await deliveries.redeliver(account, original._id);
    await sent.mock.results[0]?.value;
    return again;
  };

  test('does not go to a webhook that is deleted before its turn', async () => {
    const { webhooks, subscribe, happen, decided, rows, ...parts } = await start();
    const receiver = await startReceiver();
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const original = await decided(uuid, 'delivered');
    const again = await redeliveredAfter(original, parts, () =>
      webhooks.delete(parts.account, uuid, undefined),
    );
    expect(receiver.hits).toHaveLength(1);
    const states = (await rows(uuid)).map(({ _id, state }) => [_id, state]);
    expect(states).toContainEqual([again._id, 'dropped']);
  });

  test('goes where its webhook has been moved before its turn', async () => {
    const { webhooks, subscribe, happen, decided, ...parts } = await start();
    const [receiver, moved] = [await startReceiver(), await startReceiver()];
    const uuid = await subscribe(receiver.url);
    await happen({ n: 1 });
    const original = await decided(uuid, 'delivered');
    await redeliveredAfter(original, parts, () =>
      webhooks.change(parts.account, uuid, { target: moved.url }, undefined, undefined),
    );
    expect([receiver.hits.length, moved.hits.length]).toEqual([1, 1]);
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
