import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newEvent } from '../src/events/events.ts';
import { sleep, startReceiver, until, webhookParts } from './webhooks-parts.ts';

const start = webhookParts();

const numbered = (count: number): { n: number }[] => Array.from({ length: count }, (_, n) => ({ n }));

/** What receivers wait for until it is released. */
const hold = () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
};

describe('limits', () => {
  test('at most 4 attempts at a time for a webhook', async () => {
    const { subscribe, happen, rows } = await start();
    const receiver = await startReceiver(() => sleep(30));
    const uuid = await subscribe(receiver.url);
    await happen(numbered(40));
    await until(async () => (await rows(uuid)).every(({ state }) => state === 'delivered'));
    expect(receiver.hits).toHaveLength(40);
    expect(receiver.mostOpen).toBe(4);
  });

  test('at most 16 for an origin, shared out among its webhooks', async () => {
    const { subscribe, happen, rows } = await start();
    const { held, release } = hold();
    let begunRequests = 0;
    const receiver = await startReceiver(() => (++begunRequests > 16 ? sleep(60) : held));
    const paths = Array.from({ length: 8 }, (_, index) => `${receiver.origin}/${index}`);
    await Promise.all(paths.map((path) => subscribe(path)));
    await happen(numbered(12));
    // The first ones are held until as many as are allowed are open, and all others wait for their turn.
    await until(async () => begunRequests === 16 && (await rows()).length === 96);
    release();
    await until(() => receiver.hits.length >= 48);
    const begun = paths.map(
      (path) => receiver.hits.slice(0, 48).filter((hit) => path.endsWith(hit.path)).length,
    );
    // Every one of them has had a turn before any is far ahead.
    expect(Math.min(...begun)).toBeGreaterThanOrEqual(2);
    await until(async () => (await rows()).every(({ state }) => state === 'delivered'));
    expect(receiver.mostOpen).toBe(16);
    expect(receiver.hits).toHaveLength(96);
  });

  test('a hanging webhook leaves room for another one of the same origin', async () => {
    const { subscribe, happen } = await start({ env: { WEBHOOK_TIMEOUT: '60s' } });
    const { held, release } = hold();
    const receiver = await startReceiver((hit) => (hit.path === '/hangs' ? held : undefined));
    await subscribe(`${receiver.origin}/hangs`);
    await happen(numbered(200));
    await until(() => receiver.open === 4);
    await subscribe(`${receiver.origin}/well`);
    await happen({ n: 1 });
    await until(() => receiver.hits.find(({ path }) => path === '/well'));
    expect(receiver.hits.filter(({ path }) => path === '/hangs')).toHaveLength(4);
    release();
  });

  test('hanging origins leave another one alone', async () => {
    const { subscribe, happen } = await start({ env: { WEBHOOK_TIMEOUT: '60s' } });
    const { held, release } = hold();
    const hanging = await Promise.all(Array.from({ length: 10 }, () => startReceiver(() => held)));
    const well = await startReceiver();
    for (const { url } of hanging) await subscribe(url);
    await happen(numbered(20));
    await until(() => hanging.every(({ open }) => open === 4));
    await subscribe(well.url);
    await happen(numbered(5));
    await until(() => well.hits.length === 5);
    expect(hanging.map(({ hits }) => hits.length)).toEqual(Array(10).fill(4));
    release();
  });
});

describe('order', () => {
  test('events start in the order they happened', async () => {
    const { subscribe, happen, rows } = await start({ limits: { perQueue: 1 } });
    const receiver = await startReceiver();
    await subscribe(receiver.url);
    for (let first = 0; first < 300; first += 50) {
      await happen(numbered(50).map(({ n }) => ({ n: first + n })));
    }
    await until(async () => (await rows()).every(({ state }) => state === 'delivered'));
    expect(receiver.hits.map(({ json }) => json.data.n)).toEqual(numbered(300).map(({ n }) => n));
  });

  test('with 4 at a time none starts before more than 3 earlier ones', async () => {
    const { subscribe, happen, rows } = await start();
    const receiver = await startReceiver(() => sleep(Math.random() * 5));
    await subscribe(receiver.url);
    await happen(numbered(200));
    await until(async () => (await rows()).every(({ state }) => state === 'delivered'));
    const order = receiver.hits.map(({ json }) => json.data.n as number);
    for (const [index, n] of order.entries()) expect(Math.abs(n - index)).toBeLessThanOrEqual(4);
  });

  test('a failing delivery does not hold up those after it', async () => {
    const { subscribe, happen } = await start({
      limits: { perQueue: 1 },
      env: { WEBHOOK_RETRY_DELAYS: '500ms' },
    });
    const receiver = await startReceiver((hit, response, number) => {
      if (hit.json.data.n === 0 && number === 1) response.writeHead(500).end();
    });
    await subscribe(receiver.url);
    await happen(numbered(5));
    await until(() => receiver.hits.length === 6);
    expect(receiver.hits.map(({ json }) => json.data.n)).toEqual([0, 1, 2, 3, 4, 0]);
  });
});

describe('pausing', () => {
  const LIMITS = { pauseAfter: 10, probeEvery: 300 };

  test('after 10 failures in a row an origin gets one probe at a time, and waiting costs no attempt', async () => {
    const parts = await start({ limits: LIMITS, env: { WEBHOOK_RETRY_DELAYS: '1h' } });
    const { subscribe, happen, rows, models } = parts;
    const receiver = await startReceiver((_, response) => response.writeHead(500).end());
    const uuid = await subscribe(receiver.url);
    await happen(numbered(50));
    // Those that were under way when the tenth failed end, too: whatever comes after the 13th is a probe.
    await until(() => receiver.hits.length >= 17);
    const probes = receiver.hits.slice(13, 17);
    const [first, , , last] = probes.map(({ at }) => at);
    // Three pauses of 300 ms, and what the machine is late or early by at either end.
    expect((last ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(3 * 300 - 200);
    // Each probe was the oldest that was due.
    expect(probes.map(({ json }) => json.data.n)).toEqual([13, 14, 15, 16]);
    expect((await models.webhookOrigins.findOne({ _id: receiver.origin }).lean())?.paused).toBe(true);
    await parts.sender.stop();
    const untried = (await rows(uuid)).filter(({ tries }) => tries === 0);
    expect(untried.length).toBe(50 - receiver.hits.length);
    expect(untried.every(({ state }) => state === 'pending')).toBe(true);
  });

  test('the first success releases what waited', async () => {
    const { subscribe, happen, rows, models } = await start({ limits: LIMITS });
    let isWell = false;
    const receiver = await startReceiver((_, response) => response.writeHead(isWell ? 200 : 500).end());
    const uuid = await subscribe(receiver.url);
    await happen(numbered(60));
    const isPaused = async () =>
      (await models.webhookOrigins.findOne({ _id: receiver.origin }).lean())?.paused;
    await until(isPaused);
    isWell = true;
    await until(async () => (await rows(uuid)).every(({ state }) => state === 'delivered'));
    await until(async () => !(await isPaused()));
    // Each event went out, and nothing but what had failed before went out again.
    expect(new Set(receiver.hits.map(({ json }) => json.data.n)).size).toBe(60);
  });

  test('a redelivery goes out at once all the same, and its success releases the rest', async () => {
    const { account, deliveries, subscribe, happen, rows, models } = await start({
      limits: { pauseAfter: 10, probeEvery: 60_000 },
      env: { WEBHOOK_RETRY_DELAYS: '1h' },
    });
    let isWell = false;
    const receiver = await startReceiver((_, response) => response.writeHead(isWell ? 200 : 500).end());
    const uuid = await subscribe(receiver.url);
    await happen(numbered(30));
    await until(async () => (await models.webhookOrigins.findOne({ _id: receiver.origin }).lean())?.paused);
    // What had begun before the pause is recorded.
    const tried = async () => (await rows(uuid)).filter(({ tries }) => tries > 0).length;
    await until(async () => receiver.open === 0 && (await tried()) === receiver.hits.length);
    const failed = receiver.hits.length;
    const waiting = 30 - failed;
    expect(await deliveries.test(account, uuid)).toMatchObject({ delivered: false, status: 500 });
    isWell = true;
    const [original] = await rows(uuid);
    await deliveries.redeliver(account, original?._id ?? '');
    await until(() => receiver.hits.length === failed + 1 + 1 + waiting);
  });

  test('a webhook that is refused pauses none of another account on its host, and ends a pause', async () => {
    const limits = { pauseAfter: 3, probeEvery: 100 };
    const parts = await start({ limits, env: { WEBHOOK_RETRY_DELAYS: '1h' } });
    const { subscribe, happen, rows, models, webhooks, consume } = parts;
    let status = 404;
    const receiver = await startReceiver(({ path }, response) =>
      response.writeHead(path === '/well' ? 200 : status).end(),
    );
    const isPaused = async () =>
      (await models.webhookOrigins.findOne({ _id: receiver.origin }).lean())?.paused === true;
    const refused = await subscribe(`${receiver.origin}/refused`);
    await happen(numbered(20));
    await until(async () => (await rows(refused)).every(({ tries }) => tries === 1));
    expect(await isPaused()).toBe(false);
    const other = randomUUID();
    await webhooks.create(other, { event: 'message.added', target: `${receiver.origin}/well` });
    await consume([newEvent('message.added', other, new Date(), { n: 1 })]);
    await until(() => receiver.hits.some(({ path }) => path === '/well'));

    // A host that can't keep up is left alone as before.
    status = 429;
    await happen(numbered(20));
    await until(isPaused);
    status = 403;
    await until(async () => !(await isPaused()));
  });

  test('one paused origin does not slow another', async () => {
    const { subscribe, happen } = await start({ limits: LIMITS });
    const dead = await startReceiver((_, response) => response.writeHead(500).end());
    const well = await startReceiver();
    await subscribe(dead.url);
    await subscribe(well.url);
    await happen(numbered(100));
    await until(() => well.hits.length === 100);
    expect(dead.hits.length).toBeLessThan(40);
  });

  test('a pause outlives the process, and the next one begins with a probe', async () => {
    const first = await start({ limits: LIMITS, env: { WEBHOOK_RETRY_DELAYS: '1h' } });
    const receiver = await startReceiver((_, response) => response.writeHead(500).end());
    await first.subscribe(receiver.url);
    await first.happen(numbered(40));
    await until(
      async () => (await first.models.webhookOrigins.findOne({ _id: receiver.origin }).lean())?.paused,
    );
    await first.sender.stop();
    const before = receiver.hits.length;
    await start({ keep: true, limits: { ...LIMITS, probeEvery: 60_000 } });
    await until(() => receiver.hits.length > before);
    // Another one would follow at once.
    await sleep(300);
    expect(receiver.hits.length - before).toBe(1);
  });
});
