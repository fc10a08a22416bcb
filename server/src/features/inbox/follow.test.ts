import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationUpdated } from '@parlor/shared';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { conversationsOf } from '../../../test/inbox.ts';
import { testMembers } from '../../../test/members.ts';
import { addedMessage } from '../messages/added-message.ts';
import type { StoredMessage } from '../messages/messages.model.ts';

/** What conversations become where several processes store messages, and tell of them in no certain order. */

const app = testApp();
const people = testMembers(app);
const { call, visit } = conversationsOf(app);

let token = '';
let widget = '';
let grace: Awaited<ReturnType<typeof people.member>>;
let linus: typeof grace;

beforeAll(async () => {
  ({ token, widget } = await app.account());
  grace = await people.member(token, 'operator');
  linus = await people.member(token, 'operator');
});

const get = async (uuid: string, as = token) => (await call('GET', `${uuid}/`, as)).json;
const until = (uuid: string, expected: object, as = token) =>
  expect.poll(() => get(uuid, as), { timeout: 60_000 }).toMatchObject(expected);
const patch = async (uuid: string, body: object, as = token) =>
  expect((await call('PATCH', `${uuid}/`, as, { body })).status).toBe(200);
const answer = (uuid: string, as = token) =>
  app.request('POST', '/api/v1/messages/', {
    token: as,
    body: { body: 'We do', room: { uuid }, is_support_sender: true },
  });

/** A message as another process stores it. @param author the member who wrote it; undefined: the visitor did */
const store = async (uuid: string, author?: { uuid: string }, more: Partial<StoredMessage> = {}) => {
  const { messages, rooms } = app.services.models;
  const room = await rooms.findOne({ _id: uuid }).lean();
  const message = addedMessage(room as never, {
    _id: randomUUID(),
    body: 'Hello',
    nickname: '',
    email: '',
    phone_number: '',
    is_support_sender: author !== undefined,
    is_bot: false,
    sent_at: new Date(),
    ...(author && { author: { uuid: author.uuid, name: '' } }),
    ...more,
  });
  await messages.collection.insertOne(message as never);
  return message;
};

/** Tells of a message, and waits until all that follows has followed. */
const tell = async (message: StoredMessage) => {
  const { messages } = app.services.models;
  const event = {
    $set: { events: addedMessage({ ...message, _id: message.room, label: '' }, message).events },
  };
  await messages.collection.updateOne({ _id: message._id as never }, event as never);
  const stored = await messages.findOne({ _id: message._id }).lean<StoredMessage>();
  if (stored) app.services.relay.announce(messages, stored);
  const isWaiting = () => messages.countDocuments({ _id: message._id, 'events.0': { $exists: true } });
  await expect.poll(isWaiting, { timeout: 60_000 }).toBe(0);
};

const before = (ms: number) => new Date(Date.now() - ms);

it('stays done where a message of before the last one is told only then', async () => {
  const { uuid } = await visit(widget, token);
  const sent_at = before(1);
  await answer(uuid);
  await until(uuid, { waiting_on: 'visitor' });
  const late = await store(uuid, undefined, { sent_at });
  await patch(uuid, { status: 'done' });
  await tell(late);
  expect((await get(uuid)).status).toBe('done');
});

it('has changed for If-Match once something was said that is not told yet', async () => {
  const { uuid } = await visit(widget, token);
  const { etag = '' } = (await call('GET', `${uuid}/`, token)).headers;
  await store(uuid);
  const change = { headers: { 'if-match': etag }, body: { status: 'done' } };
  expect((await call('PATCH', `${uuid}/`, token, change)).status).toBe(412);
  expect((await get(uuid)).status).toBe('open');
});

it('has been read by each who has answered, where all is told at once', async () => {
  const { uuid } = await visit(widget, token);
  await store(uuid);
  await store(uuid, grace);
  await store(uuid, linus);
  await patch(uuid, { tags: ['now'] });
  expect([(await get(uuid, grace.token)).is_unread, (await get(uuid, linus.token)).is_unread]).toEqual([
    false,
    false,
  ]);
  expect((await get(uuid)).is_unread).toBe(true);
});

it('has been read by who has answered before it is told what there was to answer', async () => {
  const { uuid } = await visit(widget, token);
  await patch(uuid, { is_unread: false });
  const asked = await store(uuid, undefined, { sent_at: before(1) });
  await answer(uuid, grace.token);
  await tell(asked);
  await until(uuid, { is_unread: true });
  expect((await get(uuid, grace.token)).is_unread).toBe(false);
});

it('is taken by who answered first, whoever is told of first', async () => {
  const { uuid } = await visit(widget, token);
  const first = await store(uuid, grace);
  await answer(uuid, linus.token);
  await until(uuid, { waiting_on: 'visitor', assignee: expect.any(String) });
  await tell(first);
  expect((await get(uuid)).assignee).toBe(grace.uuid);
});

it('is called as the visitor said last, whatever is told last', async () => {
  const { uuid } = await visit(widget, token);
  const earlier = await store(uuid, undefined, { nickname: 'Ada', sent_at: before(2) });
  const later = await store(uuid, undefined, { nickname: 'Ada L.', sent_at: before(1) });
  await tell(later);
  await tell(earlier);
  expect((await get(uuid)).visitor.name).toBe('Ada L.');
});

it('keeps its name where the visitor left a number alone, told or not', async () => {
  const { uuid } = await visit(widget, token);
  await tell(await store(uuid, undefined, { nickname: 'Ada' }));
  const number = await store(uuid, undefined, { phone_number: '+31 20 123 45 67' });
  await patch(uuid, { tags: ['phone'] });
  expect((await get(uuid)).visitor.name).toBe('Ada');
  await tell(number);
  expect((await get(uuid)).visitor.name).toBe('Ada');
});

it('misses nothing where an old event comes again before a new one', async () => {
  const { uuid } = await visit(widget, token);
  const first = await store(uuid);
  for (let n = 0; n < 20; n++) await store(uuid, grace);
  await patch(uuid, { status: 'done', assignee: null });
  const last = await store(uuid);
  await tell(first);
  await tell(last);
  expect(await get(uuid)).toMatchObject({
    status: 'open',
    is_unread: true,
    last_message: { uuid: last._id },
    assignee: null,
  });
});

describe('of many messages', () => {
  /** Whole conversations that were read from their first message on. */
  const readWhole = (uuid: string) => {
    const find = vi.spyOn(app.services.models.messages.collection, 'find');
    onTestFinished(() => find.mockRestore());
    return () =>
      find.mock.calls.filter(([filter, options]) => {
        const { room, sent_at } = Object(filter);
        // What search reads of a conversation are its visitor's names.
        const { projection } = Object(options);
        return room === uuid && sent_at === undefined && projection?.sent_at;
      });
  };
  const many = async (uuid: string) => {
    const sent_at = Date.now() - 1_000;
    const first = await store(uuid, undefined, { sent_at: new Date(sent_at) });
    for (let n = 1; n <= 20; n++) await store(uuid, grace, { sent_at: new Date(sent_at + 10 * n) });
    await patch(uuid, { tags: ['many'] });
    return { first, sent_at };
  };

  it('is not read anew where an old event comes again', async () => {
    const { uuid } = await visit(widget, token);
    const { first } = await many(uuid);
    const before = await get(uuid);
    const whole = readWhole(uuid);
    await tell(first);
    expect(whole()).toEqual([]);
    expect(await get(uuid)).toEqual(before);
  });

  it.each([
    ['that comes late', async () => undefined],
    [
      'that comes late, where an older version has kept it',
      (uuid: string) =>
        app.services.models.inbox.updateOne({ _id: uuid }, { $unset: { 'heard.settled': 1 } }),
    ],
  ])('takes one in %s', async (_, happens) => {
    const { uuid } = await visit(widget, token);
    const { sent_at } = await many(uuid);
    await happens(uuid);
    const late = await store(uuid, linus, { sent_at: new Date(sent_at + 5) });
    await tell(late);
    await until(uuid, { first_response_at: late.sent_at.toISOString().replace('Z', '+00:00') });
    const whole = readWhole(uuid);
    await tell(late);
    expect(whole()).toEqual([]);
  });
});

it('is unread for who is mentioned after its own answer, whichever is told first', async () => {
  const { uuid } = await visit(widget, token);
  const said = await store(uuid, grace);
  await call('POST', `${uuid}/notes/`, token, { body: { body: `@${grace.username}` } });
  await until(uuid, { is_unread: true }, grace.token);
  await tell(said);
  expect((await get(uuid, grace.token)).is_unread).toBe(true);
});

it('is everybody’s but whose answer has ended the bot', async () => {
  const { json: room } = await app.request('POST', '/api/v1/rooms/', { token, body: { is_bot_use: true } });
  const body = { body: 'Hi', room: { uuid: room.uuid } };
  await app.request('POST', '/api/v1/messages/', { token, body });
  await until(room.uuid, { last_message: { body: 'Hi' }, is_bot_use: true, is_unread: false });
  await answer(room.uuid, grace.token);
  // It takes in what the room says now, too.
  await patch(room.uuid, { tags: ['now'] });
  expect(await get(room.uuid)).toMatchObject({ is_bot_use: false, waiting_on: 'visitor', is_unread: true });
  expect((await get(room.uuid, grace.token)).is_unread).toBe(false);
});

it('tells what follows from what was said before it began, once, and not of rooms of before', async () => {
  const { models, relay, follower, backfill } = app.services;
  const told: { room: string | undefined; changed: unknown }[] = [];
  relay.subscribe(async (events) => {
    for (const { name, room, data } of events) {
      if (name === 'conversation.updated')
        told.push({ room, changed: (data as ConversationUpdated).changed });
    }
  });
  const { uuid } = await visit(widget, token);
  await until(uuid, { waiting_on: 'us' });
  await expect.poll(() => told).toEqual([{ room: uuid, changed: ['waiting_on', 'waiting_since'] }]);

  const begin: [() => Promise<unknown>, number][] = [
    // Its events are told of when its first message is stored already.
    [() => follower.follow(new Map([[uuid, []]])), 1],
    // Many ask for it before the relay has told of it.
    [() => Promise.all([...Array(20)].map(() => get(uuid))), 1],
    [() => Promise.all([1, 2, 3].map(() => patch(uuid, { is_unread: false }))), 1],
    [() => backfill.run(), 0],
  ];
  for (const [how, times] of begin) {
    await models.inbox.deleteOne({ _id: uuid });
    told.length = 0;
    await how();
    await until(uuid, { waiting_on: 'us' });
    const expected = Array(times).fill({ room: uuid, changed: ['waiting_on', 'waiting_since'] });
    // A second time would follow at once.
    await sleep(300);
    expect(told).toEqual(expected);
  }
});
