import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';

const app = testApp();
const people = testMembers(app);

let token = '';
let widget = '';
let grace: Awaited<ReturnType<typeof people.member>>;

beforeAll(async () => {
  ({ token, widget } = await app.account());
  grace = await people.member(token, 'operator', { name: 'Grace' });
});

const call = (method: string, path: string, as = token, more: object = {}) =>
  app.request(method, `/api/v1/${path}`, { token: as, ...more });
const get = async (uuid: string, as = token) => (await call('GET', `conversations/${uuid}/`, as)).json;
const patch = (uuid: string, body: object) => call('PATCH', `conversations/${uuid}/`, token, { body });
const answer = (uuid: string, as = token, body = 'We do') =>
  call('POST', 'messages/', as, { body: { body, room: { uuid }, is_support_sender: true } });

/** A visitor whose conversation has begun. */
const visit = async (on = widget, body = 'Do you deliver?', as = token) => {
  const { visitor, room } = await app.session(on);
  const say = (text: string, more = {}) =>
    app.request('POST', '/api/v1/messages/', {
      visitor,
      body: { body: text, room: { uuid: room.uuid }, ...more },
    });
  const said = await say(body);
  await expect.poll(async () => (await get(room.uuid, as)).last_message?.uuid).toBe(said.json.uuid);
  return { uuid: room.uuid, label: room.label, visitor, say };
};

/** What follows from what is said follows at once, and not in the same moment. */
const until = (uuid: string, expected: object, as = token) =>
  vi.waitFor(async () => expect(await get(uuid, as)).toMatchObject(expected), { timeout: 60_000 });

describe('what follows from what is said', () => {
  it('waits on us, then on the visitor, each since that side began', async () => {
    const { uuid, say } = await visit();
    const first = (await get(uuid)).last_message;
    expect(await get(uuid)).toMatchObject({
      status: 'open',
      waiting_on: 'us',
      waiting_since: first.sent_at,
      first_response_at: null,
      assignee: null,
      tags: [],
      is_unread: true,
      rating: null,
      is_bot_use: false,
    });
    const second = (await say('On Sundays?')).json;
    await until(uuid, { last_message: { uuid: second.uuid }, waiting_since: first.sent_at });
    const reply = (await answer(uuid)).json;
    await until(uuid, {
      waiting_on: 'visitor',
      waiting_since: reply.sent_at,
      first_response_at: reply.sent_at,
    });
    await answer(uuid);
    const third = (await say('Thanks')).json;
    await until(uuid, {
      waiting_on: 'us',
      waiting_since: third.sent_at,
      first_response_at: reply.sent_at,
      updated_at: third.sent_at,
    });
  });

  it('is taken by the first member who answers, never by a program or one who is away', async () => {
    const { uuid, say } = await visit();
    await answer(uuid);
    await until(uuid, { waiting_on: 'visitor', assignee: null });
    await call('PATCH', 'members/me/', grace.token, { body: { is_away: true } });
    await answer(uuid, grace.token);
    const thanks = (await say('Thanks')).json;
    await until(uuid, { last_message: { uuid: thanks.uuid }, assignee: null });
    await call('PATCH', 'members/me/', grace.token, { body: { is_away: false } });
    await answer(uuid, grace.token);
    await until(uuid, { assignee: grace.uuid, waiting_on: 'visitor' });
    expect((await get(uuid, grace.token)).is_unread).toBe(false);
    expect((await get(uuid)).is_unread).toBe(true);
  });

  it('opens again when the visitor writes', async () => {
    const { uuid, say } = await visit();
    for (const closed of [
      { status: 'done' },
      { snoozed_until: new Date(Date.now() + 3_600_000).toISOString() },
    ]) {
      expect((await patch(uuid, closed)).status).toBe(200);
      await say('And on Sundays?');
      await until(uuid, { status: 'open', snoozed_until: null, waiting_on: 'us' });
    }
  });

  it('stays done where what was said before is told only then', async () => {
    const { uuid, say } = await visit();
    const consume = vi.spyOn(app.services.follower, 'follow');
    consume.mockImplementation(async () => {
      throw new Error('not now');
    });
    await say('Thanks!');
    expect((await patch(uuid, { status: 'done' })).json).toMatchObject({
      status: 'done',
      waiting_on: null,
      last_message: { body: 'Thanks!' },
    });
    consume.mockRestore();
    // The event comes again by the relay's sweep.
    await vi.waitFor(
      async () => {
        const waiting = await app.services.models.messages.countDocuments({
          room: uuid,
          'events.0': { $exists: true },
        });
        expect(waiting).toBe(0);
      },
      { timeout: 60_000 },
    );
    expect((await get(uuid)).status).toBe('done');
  });

  it('waits on nobody while a bot answers, and is everybody’s once it has handed over', async () => {
    const { json: room } = await call('POST', 'rooms/', token, { body: { is_bot_use: true } });
    await call('POST', 'messages/', token, { body: { body: 'Hi', room: { uuid: room.uuid } } });
    await until(room.uuid, { waiting_on: null, is_bot_use: true, is_unread: false });
    await call('PATCH', `rooms/${room.label}/`, token, { body: { is_bot_use: false } });
    await until(room.uuid, { waiting_on: 'us', is_bot_use: false, is_unread: true });
  });

  it('says what is known of the visitor', async () => {
    const { visitor, room } = await app.session(widget);
    const body = { body: 'Hi', room: { uuid: room.uuid }, nickname: 'Ada' };
    await app.request('POST', '/api/v1/messages/', { visitor, body });
    await expect.poll(async () => (await get(room.uuid)).visitor?.name).toBe('Ada');
    await app.request('POST', '/api/v1/leads/', {
      visitor,
      body: { nickname: 'Ada L.', email: 'ada@example.com' },
    });
    expect((await get(room.uuid)).visitor).toMatchObject({
      name: 'Ada L.',
      email: 'ada@example.com',
      is_online: false,
      page: null,
    });
  });
  it('names each visitor by the lead left last, however many another conversation has', async () => {
    const own = await app.account();
    const [ada, flood] = [await visit(own.widget, 'Hi', own.token), await visit(own.widget, 'Hi', own.token)];
    const left = (room: string, nickname: string, ago: number) => ({
      _id: randomUUID(),
      account: own.id,
      widget: '',
      room,
      nickname,
      email: '',
      phone_number: '',
      created_at: new Date(Date.now() - ago),
      version: 1,
    });
    const { collection } = app.services.models.leads;
    // A lead that was left last need not be the one that was stored last, as after an import.
    await collection.insertMany([left(ada.uuid, 'Ada', 1_000), left(ada.uuid, 'Old', 9_000)] as never[]);
    const names = async () => {
      const list = (await call('GET', 'conversations/', own.token)).json;
      return Object.fromEntries(list.map(({ uuid, visitor }: any) => [uuid, visitor.name]));
    };
    expect(await names()).toEqual({ [ada.uuid]: 'Ada', [flood.uuid]: '' });
    const flooding = Array.from({ length: 30 }, (_, n) => left(flood.uuid, `Flood ${n}`, 5_000 - n));
    await collection.insertMany(flooding as never[]);
    await collection.deleteMany({ room: ada.uuid });
    await collection.insertMany([left(ada.uuid, 'Ada', 1_000), left(ada.uuid, 'Old', 9_000)] as never[]);
    expect(await names()).toEqual({ [ada.uuid]: 'Ada', [flood.uuid]: 'Flood 29' });
  });
});

it('belongs to nobody any more once its member is removed', async () => {
  const leaver = await people.member(token, 'operator');
  const { uuid } = await visit();
  await patch(uuid, { assignee: leaver.uuid });
  expect((await call('DELETE', `members/${leaver.uuid}/`)).status).toBe(204);
  expect((await get(uuid)).assignee).toBe(null);
});

it('wakes what was snoozed', async () => {
  const { uuid } = await visit();
  await patch(uuid, { snoozed_until: new Date(Date.now() + 500).toISOString() });
  await until(uuid, { status: 'open', snoozed_until: null });
});

it('is gone with its room', async () => {
  const { uuid, label } = await visit();
  expect((await call('DELETE', `rooms/${label}/`)).status).toBe(204);
  expect((await call('GET', `conversations/${uuid}/`)).status).toBe(404);
  const left = (await call('GET', 'conversations/?limit=200')).json;
  expect(left.map((one: { uuid: string }) => one.uuid)).not.toContain(uuid);
});

it('is there as soon as its room is', async () => {
  for (const change of [true, false]) {
    const { json: room } = await call('POST', 'rooms/');
    const first = change
      ? await patch(room.uuid, { tags: ['new'] })
      : await call('GET', `conversations/${room.uuid}/`);
    expect(first.status).toBe(200);
    await until(room.uuid, { tags: change ? ['new'] : [] });
  }
});

it('gives rooms of before their conversations', async () => {
  const { uuid, say } = await visit();
  await answer(uuid);
  await say('Thanks');
  await until(uuid, { last_message: { body: 'Thanks' } });
  const before = await get(uuid);
  await app.services.models.inbox.deleteOne({ _id: uuid });
  await app.services.backfill.run();
  expect(await get(uuid)).toEqual(before);
});

it('gives rooms theirs also behind one that is damaged', async () => {
  const { uuid, say } = await visit();
  await say('Behind it');
  await until(uuid, { last_message: { body: 'Behind it' } });
  const { backfill, models } = app.services;
  const room = await models.rooms.findOne({ _id: uuid }).lean().orFail();
  const message = await models.messages.findOne({ room: uuid }).lean().orFail();
  const _id = '00000000-0000-4000-8000-000000000000';
  await models.rooms.collection.insertOne({ ...room, _id, label: _id, account: { not: 'a uuid' } } as never);
  await models.messages.collection.insertOne({ ...message, _id, room: _id } as never);
  await models.inbox.deleteOne({ _id: uuid });
  await backfill.run();
  expect(await models.inbox.countDocuments({ _id })).toBe(0);
  expect(await models.inbox.countDocuments({ _id: uuid })).toBe(1);
});
