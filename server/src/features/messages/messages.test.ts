import type { CommandStartedEvent } from 'mongodb';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let token = '';
let stranger = '';
let room = { uuid: '', label: '' };

beforeAll(async () => {
  token = (await app.account()).token;
  stranger = (await app.account()).token;
  room = (await app.request('POST', '/api/v1/rooms/', { token })).json;
});

const create = (body: unknown, more = {}) =>
  app.request('POST', '/api/v1/messages/', { token, body, ...more });
const write = (fields: object, more = {}) =>
  create({ body: 'Hello', room: { uuid: room.uuid }, ...fields }, more);
const get = (path: string, more = {}) => app.request('GET', path, { token, ...more });

/** What names a room. */
const shortOf = ({ uuid, label }: typeof room) => ({ uuid, label });

describe('POST /api/v1/messages/', () => {
  it('answers exactly six fields, in the specification’s order of work', async () => {
    const answer = await write({ body: 'Do you deliver?', email: 'ada@example.com', nickname: 'Ada' });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      uuid: expect.any(String),
      nickname: 'Ada',
      email: 'ada@example.com',
      body: 'Do you deliver?',
      is_support_sender: false,
      sent_at: expect.stringMatching(/\+00:00$/),
    });
    expect(answer.headers.location).toMatch(new RegExp(`/api/v1/messages/${answer.json.uuid}/$`));
  });

  it('tells of one whose reply was lost before what comes after its repeat', async () => {
    const { messages, realtimeEntries } = app.services.models;
    const insert = messages.collection.insertOne.bind(messages.collection);
    const spy = vi.spyOn(messages.collection, 'insertOne').mockImplementationOnce(async (...given) => {
      await insert(...given);
      throw Object.assign(new Error('connection 7 closed'), { name: 'MongoNetworkError' });
    });
    const own = (await app.request('POST', '/api/v1/rooms/', { token })).json;
    const say = (body: string) =>
      write({ body, room: { uuid: own.uuid } }, { headers: { 'Idempotency-Key': `lost ${body}` } });
    expect((await say('first')).status).toBe(503);
    spy.mockRestore();
    expect((await say('first')).status).toBe(201);
    expect((await say('second')).status).toBe(201);
    const told = async () => {
      const entries = await realtimeEntries.find({ room: own.uuid, name: 'message.added' }).sort({ _id: 1 });
      return entries.map(({ data }) => (data as { body: string }).body);
    };
    await expect.poll(told, { timeout: 60_000 }).toHaveLength(2);
    expect(await told()).toEqual(['first', 'second']);
  });

  it('reads the room in either case', async () => {
    expect((await write({ room: { uuid: room.uuid.toUpperCase() } })).status).toBe(201);
  });

  it.each([
    [{ body: '' }, { body: ['This field may not be blank.'] }],
    [{ body: ' \n\t ' }, { body: ['This field may not be blank.'] }],
    [{ body: null }, { body: ['This field may not be null.'] }],
    [{ body: undefined }, { body: ['This field is required.'] }],
    [{ body: ['Hello'] }, { body: ['Not a valid string.'] }],
    [{ body: 'x'.repeat(10_001) }, { body: ['Ensure this field has no more than 10000 characters.'] }],
    [{ body: 'a\0b' }, { body: ['Null characters are not allowed.'] }],
    [{ body: 'a\ud800b' }, { body: ['Lone surrogates are not allowed.'] }],
    [{ email: 'nobody' }, { email: ['Enter a valid email address.'] }],
    [{ phone_number: 'call me' }, { phone_number: ['Enter a valid phone number.'] }],
    [
      { phone_number: '1'.repeat(33) },
      { phone_number: ['Ensure this field has no more than 32 characters.'] },
    ],
    [{ nickname: 'x'.repeat(151) }, { nickname: ['Ensure this field has no more than 150 characters.'] }],
    [{ is_support_sender: 'yes' }, { is_support_sender: ['Must be a valid boolean.'] }],
    [{ room: undefined }, { room: ['This field is required.'] }],
    [{ room: null }, { room: ['This field may not be null.'] }],
    [{ room: 'x' }, { room: ['Invalid data. Expected a dictionary, but got str.'] }],
    [{ room: [] }, { room: ['Invalid data. Expected a dictionary, but got list.'] }],
    [{ room: {} }, { room: { uuid: ['This field is required.'] } }],
    [{ room: { uuid: 'x' } }, { room: { uuid: ['Must be a valid UUID.'] } }],
    [{ room: { uuid: { $gt: '' } } }, { room: { uuid: ['Must be a valid UUID.'] } }],
  ])('refuses %j', async (fields, errors) => {
    const answer = await write(fields);
    expect([answer.status, answer.json]).toEqual([400, errors]);
  });

  it('names every wrong field at once', async () => {
    const answer = await create({ email: 'x', room: { uuid: 1 } });
    expect(answer.json).toEqual({
      body: ['This field is required.'],
      email: ['Enter a valid email address.'],
      room: { uuid: ['Must be a valid UUID.'] },
    });
  });

  it("says of an unknown room and another account's that it does not exist", async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    const answer = await write({ room: { uuid: unknown } });
    const message = `Object with uuid=${unknown} does not exist.`;
    expect([answer.status, answer.json]).toEqual([400, { room: { uuid: [message] } }]);
    expect((await write({}, { token: stranger })).status).toBe(400);
  });

  it('takes 10 000 code points, keeps white space, normalises to NFC', async () => {
    expect((await write({ body: '😀'.repeat(10_000) })).status).toBe(201);
    expect((await write({ body: '  e\u0301 \r\n' })).json.body).toBe('  \u00e9 \r\n');
  });

  it('takes null for what may be left out', async () => {
    const answer = await write({ nickname: null, email: null, phone_number: null });
    expect([answer.status, answer.json.nickname]).toEqual([201, '']);
  });

  it('ignores read-only and unknown fields', async () => {
    const answer = await write({ uuid: 'x', is_bot: true, sent_at: 5, constructor: 1, toString: null });
    expect(answer.status).toBe(201);
    const shown = (await get(`/api/v1/messages/${answer.json.uuid}/`)).json;
    expect(shown.is_bot).toBe(false);
  });
});

describe('GET /api/v1/messages/<uuid>/', () => {
  it('shows one message, with phone_number and is_bot', async () => {
    const made = (await write({ phone_number: '+44 20 7946 0000', is_support_sender: true })).json;
    const expected = { ...made, phone_number: '+44 20 7946 0000', is_bot: false, room: shortOf(room) };
    for (const id of [made.uuid, made.uuid.toUpperCase()]) {
      const answer = await get(`/api/v1/messages/${id}/`);
      expect([answer.status, answer.json]).toEqual([200, expected]);
    }
  });

  it('answers 404 to a malformed uuid and to a foreign token', async () => {
    const made = (await write({})).json;
    expect((await get('/api/v1/messages/x/')).status).toBe(404);
    expect((await get(`/api/v1/messages/${made.uuid}/`, { token: stranger })).status).toBe(404);
  });
});

describe('GET /api/v1/messages/', () => {
  it('lists by room, newest first', async () => {
    const other = (await app.request('POST', '/api/v1/rooms/', { token })).json;
    await write({ body: 'a', room: { uuid: other.uuid } });
    await write({ body: 'b', room: { uuid: other.uuid } });
    await write({ body: 'elsewhere' });
    const bodies = (answer: { json: { body: string }[] }) => answer.json.map(({ body }) => body);
    expect(bodies(await get(`/api/v1/messages/?room=${other.uuid}`))).toEqual(['b', 'a']);
    expect(bodies(await get('/api/v1/messages/?limit=3'))).toEqual(['elsewhere', 'b', 'a']);
    expect((await get(`/api/v1/messages/?room=${other.uuid}`, { token: stranger })).json).toEqual([]);
    expect((await get('/api/v1/messages/?room=x')).json).toEqual({ room: ['Must be a valid UUID.'] });
  });

  it('names the room of each message as it is called now, with one query for all rooms', async () => {
    const { token } = await app.account();
    const rooms = await Promise.all(
      Array.from({ length: 5 }, async () => (await app.request('POST', '/api/v1/rooms/', { token })).json),
    );
    for (const { uuid } of rooms) {
      await create({ body: uuid, room: { uuid } }, { token });
      await create({ body: uuid, room: { uuid } }, { token });
    }
    const body = { label: `renamed-${rooms[0].label}` };
    await app.request('PATCH', `/api/v1/rooms/${rooms[0].label}/`, { token, body });
    const asked: unknown[] = [];
    // By what names them alone: others read more of rooms at the same time.
    const count = ({ command }: CommandStartedEvent) => {
      const isForNames = Object.keys(command.projection ?? {}).join() === 'label';
      if (command.find === 'rooms' && isForNames) asked.push(command);
    };
    const client = app.services.models.rooms.db.getClient();
    client.on('commandStarted', count);
    const { json } = await app.request('GET', '/api/v1/messages/', { token });
    client.off('commandStarted', count);
    expect(asked).toHaveLength(1);
    const labels = new Map(rooms.map(({ uuid, label }) => [uuid, label])).set(rooms[0].uuid, body.label);
    expect(json.map(({ room: shown }: { room: object }) => shown)).toEqual(
      json.map(({ body: uuid }: { body: string }) => ({ uuid, label: labels.get(uuid) })),
    );
    expect(json).toHaveLength(10);
  });

  it('leaves out messages whose room is deleted under them, and goes on to the next page', async () => {
    const { token } = await app.account();
    const [kept, gone] = await Promise.all(
      [1, 2].map(async () => (await app.request('POST', '/api/v1/rooms/', { token })).json),
    );
    for (const { uuid } of [kept, gone, gone]) await create({ body: 'Hello', room: { uuid } }, { token });
    const [last] = (await app.request('GET', '/api/v1/messages/?limit=1', { token })).json;
    // As between the two writes of a deletion.
    await app.services.models.rooms.deleteOne({ _id: gone.uuid });
    const page = await app.request('GET', '/api/v1/messages/?limit=2', { token });
    expect([page.json, page.headers.link !== undefined]).toEqual([[], true]);
    const next = /<[^>]*(\/api[^>]*)>/.exec(page.headers.link ?? '')?.[1] ?? '';
    const { json } = await app.request('GET', next, { token });
    expect(json.map(({ room: shown }: { room: object }) => shown)).toEqual([shortOf(kept)]);
    expect((await app.request('GET', `/api/v1/messages/${last.uuid}/`, { token })).status).toBe(404);
  });
});
