import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newEvent } from '../src/events/events.ts';
import { type Parts, sleep, startReceiver, until, webhookParts } from './webhooks-parts.ts';

/** Accounts whose webhooks go to the same host, as that of a service which many use. */

const start = webhookParts();

const numbered = (count: number): { n: number }[] => Array.from({ length: count }, (_, n) => ({ n }));

/** Another account with a webhook, and what lets events happen there. */
const another = async ({ webhooks, consume }: Parts, target: string) => {
  const account = randomUUID();
  await webhooks.create(account, { event: 'message.added', target });
  return (count: number) =>
    consume(numbered(count).map((data) => newEvent('message.added', account, new Date(), data)));
};

const isPaused = async ({ models }: Parts, origin: string): Promise<boolean> =>
  (await models.webhookOrigins.findOne({ _id: origin }).lean())?.paused === true;

describe('webhooks of several accounts at one host', () => {
  test('are paused by the failures of their own account alone', async () => {
    const parts = await start({
      limits: { pauseAfter: 3, probeEvery: 60_000 },
      env: { WEBHOOK_RETRY_DELAYS: '1h' },
    });
    const receiver = await startReceiver(({ path }, response) =>
      response.writeHead(path === '/well' ? 200 : 500).end(),
    );
    const well = () => receiver.hits.filter(({ path }) => path === '/well').length;
    for (let n = 0; n < 20; n++) await parts.subscribe(`${receiver.origin}/fails/${n}`);
    await parts.happen(numbered(5));
    await until(() => isPaused(parts, receiver.origin));
    const happen = await another(parts, `${receiver.origin}/well`);
    await happen(30);
    await until(() => well() === 30);
    // What had begun as the third failed ended, too.
    expect(receiver.hits.length - 30).toBeLessThanOrEqual(3 + 15);
    expect(await isPaused(parts, receiver.origin)).toBe(true);
  });

  test('go on after a restart beside one that is paused', async () => {
    const options = { limits: { pauseAfter: 3, probeEvery: 60_000 }, env: { WEBHOOK_RETRY_DELAYS: '1h' } };
    const parts = await start(options);
    const receiver = await startReceiver(({ path }, response) =>
      response.writeHead(path === '/well' ? 200 : 500).end(),
    );
    await parts.subscribe(`${receiver.origin}/fails`);
    await parts.happen(numbered(40));
    await until(() => isPaused(parts, receiver.origin));
    await parts.sender.stop();
    const happen = await another(parts, `${receiver.origin}/well`);
    await happen(30);
    const before = receiver.hits.length;
    await start({ ...options, keep: true });
    await until(() => receiver.hits.filter(({ path }) => path === '/well').length === 30);
    // The paused one has its probe, and no more.
    await until(() => receiver.hits.length === before + 30 + 1);
    await sleep(300);
    expect(receiver.hits.length).toBe(before + 30 + 1);
    expect(await isPaused(parts, receiver.origin)).toBe(true);
  });

  test('leave nothing of the host behind once nobody has one there, stopped or killed meanwhile', async () => {
    const options = {
      limits: { pauseAfter: 3, probeEvery: 60_000 },
      timing: { forgottenAfter: 300 },
      env: { WEBHOOK_RETRY_DELAYS: '1h' },
    };
    const parts = await start(options);
    const fails = () => startReceiver((_, response) => void response.writeHead(500).end());
    const [gone, waiting] = [await fails(), await fails()];
    for (const { url } of [gone, waiting]) await parts.subscribe(url);
    await parts.happen(numbered(5));
    for (const { origin } of [gone, waiting]) await until(() => isPaused(parts, origin));
    await parts.sender.stop();
    const { webhooks, deliveries, webhookOrigins } = parts.models;
    const webhook = await webhooks.findOneAndDelete({ target: gone.url });
    await deliveries.deleteMany({ webhook: webhook?._id });
    const killed = { owner: randomUUID(), paused: false, woken: [] };
    await webhookOrigins.insertMany([
      { _id: 'http://killed.example.com', ...killed },
      { _id: 'http://woken.example.com', ...killed, woken: [randomUUID()], woken_at: new Date() },
    ]);
    await start({ ...options, keep: true });
    const left = async () => (await webhookOrigins.find().lean()).map(({ _id }) => _id);
    await until(async () => (await left()).length === 1);
    // What waits keeps its pause.
    await sleep(1_000);
    expect(await left()).toEqual([waiting.origin]);
    expect(await isPaused(parts, waiting.origin)).toBe(true);
  });

  test('take turns by account, however many webhooks one has', async () => {
    const parts = await start({ env: { WEBHOOK_TIMEOUT: '60s' } });
    const releases: (() => void)[] = [];
    const receiver = await startReceiver(
      () =>
        new Promise<void>((resolve) => {
          releases.push(resolve);
        }),
    );
    for (let n = 0; n < 40; n++) await parts.subscribe(`${receiver.origin}/slow/${n}`);
    await parts.happen(numbered(3));
    await until(() => receiver.open === 16);
    const happen = await another(parts, `${receiver.origin}/other`);
    await happen(3);
    await sleep(300);
    for (let n = 1; n <= 12; n++) {
      releases.shift()?.();
      await until(() => receiver.hits.length === 16 + n);
    }
    // The first has 40 that wait for a place; the other one has every second that became free.
    const paths = receiver.hits.slice(16).map(({ path }) => path);
    expect(paths.filter((path) => path === '/other')).toHaveLength(3);
    const ended = setInterval(() => {
      for (const release of releases.splice(0)) release();
    }, 10);
    await until(() => receiver.hits.length === 40 * 3 + 3);
    clearInterval(ended);
  });

  test('have places beside the probes of many that are paused and hang', async () => {
    const parts = await start({
      limits: { pauseAfter: 1, probeEvery: 500 },
      // So many that none has an end before all hang, however slow the machine is.
      env: { WEBHOOK_RETRY_DELAYS: Array(200).fill('50ms').join(), WEBHOOK_TIMEOUT: '60s' },
    });
    let hangs = false;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const receiver = await startReceiver(({ path }, response) => {
      if (path === '/well') return undefined;
      if (hangs) return held;
      return void response.writeHead(500).end();
    });
    const failing: Awaited<ReturnType<typeof another>>[] = [];
    for (let n = 0; n < 20; n++) failing.push(await another(parts, `${receiver.origin}/fails/${n}`));
    for (const happen of failing) await happen(10);
    // Each is paused, as its first probe shows, and nothing is under way.
    const isProbed = (n: number): boolean => {
      const at = receiver.hits.filter(({ path }) => path === `/fails/${n}`).map((hit) => hit.at);
      return Math.max(...at) - Math.min(...at) >= 250;
    };
    await until(() => failing.every((_, n) => isProbed(n)) && receiver.open === 0);
    hangs = true;
    await until(() => receiver.open === 4);
    const happen = await another(parts, `${receiver.origin}/well`);
    await happen(20);
    await until(() => receiver.hits.filter(({ path }) => path === '/well').length === 20);
    expect(receiver.open).toBe(4);
    hangs = false;
    release();
  });
});
