import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { startReceiver } from '../../../test/webhooks-parts.ts';

const PATIENCE = { timeout: 60_000, interval: 50 };

const app = testApp();

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
  for (let n = 0; n < count; n++) {
    const body = { body: 'Forget this', room: { uuid: room.uuid } };
    expect((await app.request('POST', '/api/v1/messages/', { visitor, body })).status).toBe(201);
  }
  await vi.waitFor(() => expect(receiver.hits).toHaveLength(count), PATIENCE);
  const erase = () => app.request('DELETE', `/api/v1/widgets/${widget}/sessions/`, { visitor });
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
