import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { startReceiver } from '../../../test/webhooks-parts.ts';

const PATIENCE = { timeout: 60_000, interval: 50 };

const app = testApp({ WEBHOOK_RETRY_DELAYS: Array(30).fill('1s').join() });

const path = (widget: string) => `/api/v1/widgets/${widget}/sessions/`;
const write = (visitor: string, uuid: string) =>
  app.request('POST', '/api/v1/messages/', { visitor, body: { body: 'Forget this', room: { uuid } } });

/** Messages to a receiver, each of whose answers waits for `finish` and quotes; `first` is what the first one is answered at once. */
const saidInFlight = async (count: number, first?: number) => {
  const { token, id, widget } = await app.account();
  const { visitor, room } = await app.session(widget);
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const receiver = await startReceiver(async ({ body }, response, number) => {
    await (number === 1 && first ? begun : finished);
    response.writeHead(number === 1 ? (first ?? 200) : 200).end(`Got ${body}`);
  });
  const hook = { event: 'message.added', target: receiver.url };
  const { uuid } = (await app.request('POST', '/api/v1/webhooks/', { token, body: hook })).json;
  for (let n = 0; n < count; n++) expect((await write(visitor, room.uuid)).status).toBe(201);
  await vi.waitFor(() => expect(receiver.hits).toHaveLength(count), PATIENCE);
  const erase = () => app.request('DELETE', path(widget), { visitor });
  expect((await erase()).status).toBe(204);
  const rows = () => app.services.models.deliveries.find({ account: id }).lean();
  /** The sweep has been there: rows are empty, and not marked any more. */
  const redacted = (rest: number) =>
    vi.waitFor(async () => {
      const empty = (await rows()).filter(({ body, erase_by }) => body === '' && erase_by === undefined);
      expect(empty).toHaveLength(rest);
    }, PATIENCE);
  return { token, webhook: `/api/v1/webhooks/${uuid}/`, rows, redacted, begin, finish };
};

it('keeps nothing of an answer to a delivery that was dropped and emptied meanwhile', async () => {
  const { token, webhook, rows, redacted, finish } = await saidInFlight(1);
  expect((await app.request('DELETE', webhook, { token })).status).toBe(204);
  await redacted(1);
  finish();
  await vi.waitFor(async () => expect((await rows())[0]?.attempts).toHaveLength(1), PATIENCE);
  expect(await rows()).toMatchObject([{ state: 'delivered', body: '', attempts: [{ response: '' }] }]);
  expect((await app.request('GET', '/api/v1/deliveries/', { token })).text).not.toContain('Forget this');
});

it('keeps nothing of the answers to attempts beside one that was answered 410', async () => {
  const { token, webhook, rows, redacted, begin, finish } = await saidInFlight(4, 410);
  begin();
  await redacted(4);
  expect((await app.request('GET', webhook, { token })).status).toBe(404);
  finish();
  await vi.waitFor(
    async () => expect((await rows()).flatMap(({ attempts }) => attempts)).toHaveLength(4),
    PATIENCE,
  );
  expect((await rows()).filter(({ state }) => state === 'delivered')).toHaveLength(3);
  expect(JSON.stringify(await rows())).not.toContain('Forget this');
});

it('empties what was in flight as soon as it has arrived, and what it answers', async () => {
  const { rows, redacted, finish } = await saidInFlight(3);
  expect((await rows()).map(({ state, erase_by }) => ({ state, isMarked: erase_by !== undefined }))).toEqual(
    Array(3).fill({ state: 'pending', isMarked: true }),
  );
  finish();
  await redacted(3);
  expect((await rows()).map(({ state }) => state)).toEqual(Array(3).fill('delivered'));
  expect(JSON.stringify(await rows())).not.toContain('Forget this');
});

it('shows no answer that was recorded after the erasure, though the sweep has yet to come', async () => {
  const { token, id } = await app.account();
  const { deliveries } = app.services.models;
  const attempt = { at: new Date(), status: 500, duration_ms: 1, error: '', response: 'Got Forget this' };
  const row = {
    _id: randomUUID(),
    account: id,
    event: 'message.added',
    state: 'pending',
    body: 'Forget this',
  };
  const erase_by = new Date(Date.now() + 60_000);
  const more = { event_id: randomUUID(), subscription: randomUUID(), created_at: new Date(), erase_by };
  await deliveries.collection.insertOne({ ...row, ...more, attempts: [attempt] } as never);
  const { json } = await app.request('GET', '/api/v1/deliveries/', { token });
  expect(json[0]).toMatchObject({ id: row._id, attempts: [{ status: 500, response: '' }] });
});

it('goes on behind what it has emptied', async () => {
  const { deliveries } = app.services.models;
  const subject = randomUUID();
  const row = () => ({ _id: randomUUID(), state: 'delivered', body: 'Forget this', subject, attempts: [] });
  await deliveries.collection.insertMany([row(), row()] as never[]);
  await app.services.erasedDeliveries.redact(subject);
  expect(await deliveries.countDocuments({ subject })).toBe(0);
  expect(await deliveries.countDocuments({ subject: { $exists: false }, body: '' })).toBeGreaterThan(1);
});

it('shows nothing of what still waits for a subscriber, and exports none of it', async () => {
  const own = await app.account();
  const asOwner = { token: own.token };
  const { room, visitor } = await app.session(own.widget);
  let finish = (_?: unknown) => {};
  const isErased = new Promise((resolve) => {
    finish = resolve;
  });
  const receiver = await startReceiver(async ({ body }, response, number) => {
    if (number === 2) await isErased;
    response.writeHead(500).end(`I don't take ${body}`);
  });
  const hook = { event: 'message.added', target: receiver.url };
  expect((await app.request('POST', '/api/v1/webhooks/', { ...asOwner, body: hook })).status).toBe(201);
  const log = async () => (await app.request('GET', '/api/v1/deliveries/', asOwner)).json;
  await write(visitor, room.uuid);
  await vi.waitFor(async () => expect((await log())[0]?.attempts).toHaveLength(1), PATIENCE);
  const [{ id, attempts }] = await log();
  expect(attempts[0].response).toContain('Forget this');
  await vi.waitFor(() => expect(receiver.hits).toHaveLength(2), PATIENCE);

  expect((await app.request('DELETE', path(own.widget), { visitor })).status).toBe(204);
  const all = async () =>
    Promise.all(
      ['/api/v1/deliveries/', `/api/v1/deliveries/${id}/`, `/api/v1/deliveries/${id}/body/`].map(
        async (from) => (await app.request('GET', from, asOwner)).text,
      ),
    );
  expect((await all()).join()).not.toContain('Forget this');
  expect((await all()).at(-1)).toBe('{"body":null}');
  const exported = (await app.request('GET', '/api/v1/account/export/', asOwner)).text;
  expect(exported).toContain('"webhooks"');
  expect(exported).not.toContain('Forget this');
  const again = await app.request('POST', `/api/v1/deliveries/${id}/redeliver/`, asOwner);
  expect(again.status).toBe(409);

  // The attempt that was under way is answered, and so is the next one.
  finish();
  await vi.waitFor(() => expect(receiver.hits.length).toBeGreaterThan(2), PATIENCE);
  expect(receiver.hits.at(-1)?.body).toContain('Forget this');
  const stored = () => app.services.models.deliveries.findOne({ _id: id }).lean();
  await vi.waitFor(async () => {
    const { attempts = [] } = (await stored()) ?? {};
    expect(attempts.length).toBeGreaterThan(1);
    expect(attempts.map(({ response }) => response).join('')).toBe('');
  }, PATIENCE);
  expect((await log())[0].state).toBe('pending');
});

it('forgets what a redelivery was answered with, where a crash had it answered late', async () => {
  const own = await app.account();
  const asOwner = { token: own.token };
  const receiver = await startReceiver(({ body }, response) => response.end(`Got ${body}`));
  const hook = { event: 'message.added', target: receiver.url };
  await app.request('POST', '/api/v1/webhooks/', { ...asOwner, body: hook });
  const { room, visitor } = await app.session(own.widget);
  await write(visitor, room.uuid);
  const { deliveries, idempotency } = app.services.models;
  const delivered = { account: own.id, state: 'delivered' as const };
  const arrived = (count: number) =>
    vi.waitFor(async () => expect(await deliveries.countDocuments(delivered)).toBe(count), PATIENCE);
  await arrived(1);
  const [{ id }] = (await app.request('GET', '/api/v1/deliveries/', asOwner)).json;
  const keyed = { ...asOwner, headers: { 'Idempotency-Key': 'once more' } };
  const again = () => app.request('POST', `/api/v1/deliveries/${id}/redeliver/`, keyed);
  expect((await again()).status).toBe(202);
  await arrived(2);
  // As a process leaves it that is killed before it answers.
  await idempotency.updateOne(
    { account: own.id, 'answer.status': 202 },
    { $set: { leased_until: new Date(0) }, $unset: { answer: 1, subject: 1, subject_at: 1 } },
  );
  expect((await again()).text).toContain('Forget this');
  expect((await app.request('DELETE', path(own.widget), { visitor })).status).toBe(204);
  expect(JSON.stringify(await idempotency.find().lean())).not.toContain('Forget this');
  expect((await again()).text).not.toContain('Forget this');
});

it('redacts deliveries around damaged ones, and those as well', async () => {
  const { deliveries } = app.services.models;
  const marked = (erase_by: string, attempts: unknown) => ({
    _id: randomUUID(),
    state: 'delivered',
    body: 'Forget this',
    subject: 'a damaged room',
    erase_by: new Date(erase_by),
    attempts,
  });
  const told = [{ status: 200, response: 'Forgotten' }];
  const all = [
    ...Array.from({ length: 510 }, (_, n) => marked('1970-01-02', n % 2 === 0 ? [null] : null)),
    marked('2020-01-01', told),
  ];
  await deliveries.collection.insertMany(all as never[]);
  await app.services.erasedDeliveries.resume();
  const own = await deliveries.find({ _id: { $in: all.map(({ _id }) => _id) } }).lean();
  expect(own.filter(({ body, erase_by }) => body !== '' || erase_by !== undefined)).toEqual([]);
  expect(JSON.stringify(own)).not.toContain('Forgotten');
});
