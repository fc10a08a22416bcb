import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PendingTurn } from '../src/features/rooms/bot-state.ts';
import { testApp } from './app.ts';
import { PATIENCE } from './mailed-account.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** Whoever brought a damaged document into the database, it costs the account alone whose it is. */

const app = testApp();

/** A room of an account, with a visitor's session in it. */
const place = async () => {
  const { token, id, widget } = await app.account();
  const { visitor, room } = await app.session(widget);
  const body = { body: 'Do you deliver?', room: { uuid: room.uuid } };
  const said = await app.request('POST', '/api/v1/messages/', { visitor, body });
  expect(said.status).toBe(201);
  return { token, account: id, visitor, room, message: said.json.uuid as string };
};

/** Copies of a document under ids of their own. */
const copies = (one: any, count: number, change: object) =>
  Array.from({ length: count }, (_, n) => ({ ...one, _id: randomUUID(), label: `copy-${n}`, ...change }));

const conversationOf = async (token: string, uuid: string) =>
  (await app.request('GET', `/api/v1/conversations/${uuid}/`, { token })).json;

describe('what one account alone pays for', () => {
  it('snoozed conversations that can not be opened', async () => {
    const conversations = app.services.models.inbox;
    const damaged = await place();
    const other = await place();
    await expect.poll(() => conversations.countDocuments({ _id: damaged.room.uuid })).toBe(1);
    const one = await conversations.findOne({ _id: damaged.room.uuid }).lean();
    const past = { status: 'snoozed', snoozed_until: new Date(Date.now() - 60_000), heard: null };
    await conversations.collection.insertMany(copies(one, 260, past));
    const snoozed_until = new Date(Date.now() + 3_600_000).toISOString();
    const asked = await app.request('PATCH', `/api/v1/conversations/${other.room.uuid}/`, {
      token: other.token,
      body: { status: 'snoozed', snoozed_until },
    });
    expect(asked.status).toBe(200);
    const isOver = { $set: { snoozed_until: new Date() } };
    await conversations.updateOne({ _id: other.room.uuid }, isOver);
    const status = async () => (await conversationOf(other.token, other.room.uuid)).status;
    await expect.poll(status, PATIENCE).toBe('open');
  });

  it('turns of bots that can not be published', async () => {
    const { rooms } = app.services.models;
    const damaged = await place();
    const other = await place();
    const bot = (pending: object) => ({ bot: { turns: 1, pending: { turn: randomUUID(), ...pending } } });
    const one = await rooms.findOne({ _id: damaged.room.uuid }).lean();
    const without = { at: new Date(1_000), messages: null, leads: [] };
    await rooms.collection.insertMany(copies(one, 110, bot(without)));
    const like = await app.services.models.messages.findOne({ _id: other.message }, { events: 0 }).lean();
    const message = { ...like, _id: randomUUID(), is_support_sender: true, events: [] };
    const sound: Omit<PendingTurn, 'turn'> = { at: new Date(2_000), messages: [message], leads: [] };
    await rooms.collection.updateOne({ _id: other.room.uuid as never }, { $set: bot(sound) });
    const asked = () => app.request('GET', `/api/v1/messages/${message._id}/`, { token: other.token });
    await expect.poll(async () => (await asked()).status, PATIENCE).toBe(200);
  });

  it.each([
    ['a webhook without a proper target', { target: 'not a url' }, {}],
    ['a delivery without its time', {}, { due_at: null }],
  ])('%s', async (_, webhook, delivery) => {
    const { models, sender } = app.services;
    const damaged = await place();
    const other = await place();
    const receiver = await startWebhookReceiver();
    const subscribe = async ({ token }: { token: string }) => {
      const body = { event: 'lead.added', target: receiver.url };
      return (await app.request('POST', '/api/v1/webhooks/', { token, body })).json.uuid as string;
    };
    const [first, second] = [await subscribe(damaged), await subscribe(other)];
    const lead = (
      await app.request('POST', '/api/v1/leads/', { token: other.token, body: { nickname: 'Ada' } })
    ).json.uuid;
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(1);
    await expect
      .poll(() => models.deliveries.countDocuments({ state: 'delivered', webhook: second }))
      .toBe(1);
    const one = await models.deliveries.findOne({ webhook: second }).lean();
    // It stands before the other in a search of queues, by a webhook of its own.
    const damagedId = `00000000${first.slice(8)}`;
    const like = await models.webhooks.findOne({ _id: first }).lean();
    await models.webhooks.collection.insertOne({
      ...like,
      _id: damagedId as never,
      target_key: damagedId,
      ...webhook,
    });
    const waiting = { state: 'pending', tries: 0, attempts: [], due_at: new Date(0) };
    const rows = [
      {
        ...copies(one, 1, waiting)[0],
        account: damaged.account,
        webhook: damagedId,
        queue: damagedId,
        ...delivery,
      },
      { ...copies(one, 1, waiting)[0], queue: second, event_id: randomUUID() },
    ];
    await models.deliveries.collection.insertMany(rows as never);
    sender.wake();
    const told = () => receiver.received.filter(({ body }) => body.includes(lead));
    await expect.poll(() => told().length, PATIENCE).toBeGreaterThanOrEqual(2);
  });

  it('a session without its room', async () => {
    const { models, erasure } = app.services;
    const damaged = await place();
    const other = await place();
    const frames = () =>
      models.realtimeEntries.countDocuments({ account: other.account, name: { $ne: 'void' } });
    await expect.poll(frames).toBeGreaterThan(2);
    const before = await frames();
    const one = await models.sessions.findOne({ room: damaged.room.uuid }).lean();
    const closed = { room: null, token_fingerprint: randomUUID(), closed_at: new Date(0) };
    await models.sessions.collection.insertMany(copies(one, 1, closed));
    await erasure.resume().catch(() => undefined);
    expect(await frames()).toBeGreaterThanOrEqual(before);
  });
});

it('a workflow whose key can not be opened keeps no others from being shown, and gets another one', async () => {
  const { token } = await app.account();
  const make = async (name: string) =>
    (await app.request('POST', '/api/v1/workflows/', { token, body: { name } })).json;
  const [damaged, other] = [await make('Orders'), await make('Returns')];
  const key_sealed = `v2.${'A'.repeat(16)}.${'B'.repeat(60)}`;
  await app.services.models.workflows.updateOne({ _id: damaged.uuid }, { key_sealed });
  const { status, json } = await app.request('GET', '/api/v1/workflows/', { token });
  expect(status).toBe(200);
  expect(json).toContainEqual(other);
  expect(json).toContainEqual({
    ...damaged,
    public_key: '',
    problems: [...damaged.problems, "The public key can't be opened: make a new one."],
  });
  const path = `/api/v1/workflows/${damaged.uuid}/rotate-key/`;
  const rotated = await app.request('POST', path, { token });
  expect(rotated).toMatchObject({ status: 200, json: { public_key: expect.stringMatching(/^pk_live_/) } });
});

it('a conversation is opened as soon as a database that was away for a moment is back', async () => {
  const { models, waker } = app.services;
  const { token, room } = await place();
  await expect.poll(() => models.inbox.countDocuments({ _id: room.uuid })).toBe(1);
  const { collection } = models.inbox;
  const write = collection.findOneAndUpdate.bind(collection) as (...given: unknown[]) => Promise<unknown>;
  let isAway = true;
  const writes = vi.spyOn(collection, 'findOneAndUpdate').mockImplementation((async (...given: any[]) => {
    if (!isAway || given[0]?._id !== room.uuid) return write(...given);
    throw Object.assign(new Error('connection 7 closed'), { name: 'MongoNetworkError' });
  }) as never);
  onTestFinished(() => writes.mockRestore());
  const isOver = { $set: { status: 'snoozed' as const, snoozed_until: new Date() } };
  await models.inbox.updateOne({ _id: room.uuid }, isOver);
  await expect(waker.sweep()).rejects.toThrow('connection 7 closed');
  isAway = false;
  await waker.sweep();
  expect((await conversationOf(token, room.uuid)).status).toBe('open');
});
