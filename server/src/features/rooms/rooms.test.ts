import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let token = '';
let stranger = '';

beforeAll(async () => {
  token = (await app.account()).token;
  stranger = (await app.account()).token;
});

const create = (body?: unknown, more = {}) => app.request('POST', '/api/v1/rooms/', { token, body, ...more });
const get = (path: string, more = {}) => app.request('GET', path, { token, ...more });

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);

describe('POST /api/v1/rooms/', () => {
  it('needs no body at all', async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      label: expect.stringMatching(/^[A-Za-z0-9_-]{10}$/),
      uuid: UUID,
      name: '',
      rating: null,
      is_bot_use: false,
      created_at: MOMENT,
      messages: [],
    });
    expect(answer.headers.location).toMatch(new RegExp(`^http://.*/api/v1/rooms/${answer.json.label}/$`));
    expect(answer.headers.etag).toMatch(/^"[\w-]{27}"$/);
  });

  it('takes every writable field and ignores the others', async () => {
    const sent = { label: 'all-fields', name: 'Ada\u0301', rating: 5, is_bot_use: true };
    const answer = await create({ ...sent, uuid: 'mine', created_at: 'then', messages: 7, nonsense: {} });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ ...sent, name: 'Ad\u00e1', messages: [] });
    expect(answer.json.uuid).toEqual(UUID);
  });

  it.each([
    ['label', 'a b', 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'],
    ['label', '', 'This field may not be blank.'],
    ['label', null, 'This field may not be null.'],
    ['label', 'a'.repeat(65), 'Ensure this field has no more than 64 characters.'],
    ['name', 5, 'Not a valid string.'],
    ['name', 'x'.repeat(201), 'Ensure this field has no more than 200 characters.'],
    ['name', 'nul\0', 'Null characters are not allowed.'],
    ['rating', '5', 'A valid integer is required.'],
    ['rating', 5.5, 'A valid integer is required.'],
    ['rating', true, 'A valid integer is required.'],
    ['rating', 0, 'Ensure this value is greater than or equal to 1.'],
    ['rating', 6, 'Ensure this value is less than or equal to 5.'],
    ['rating', 2 ** 60, 'A valid integer is required.'],
    ['is_bot_use', 1, 'Must be a valid boolean.'],
    ['is_bot_use', 'true', 'Must be a valid boolean.'],
    ['is_bot_use', null, 'This field may not be null.'],
  ])('refuses %s = %j', async (field, value, message) => {
    const answer = await create({ [field]: value });
    expect([answer.status, answer.json]).toEqual([400, { [field]: [message] }]);
  });

  it('counts a name in code points, and takes null for "not given"', async () => {
    expect((await create({ name: '😀'.repeat(200) })).status).toBe(201);
    expect((await create({ name: '😀'.repeat(201) })).status).toBe(400);
    expect((await create({ name: null })).json.name).toBe('');
    expect((await create({ rating: null })).json.rating).toBe(null);
  });

  it('holds labels unique within one account only', async () => {
    expect((await create({ label: 'taken' })).status).toBe(201);
    const again = await create({ label: 'taken' });
    expect([again.status, again.json]).toEqual([400, { label: ['This field must be unique.'] }]);
    expect((await create({ label: 'taken' }, { token: stranger })).status).toBe(201);
  });
});

describe('GET /api/v1/rooms/<label>/', () => {
  it('shows the room that was made, with or without the slash', async () => {
    const made = (await create({ name: 'One' })).json;
    for (const path of [`/api/v1/rooms/${made.label}/`, `/api/v1/rooms/${made.label}`]) {
      const answer = await get(path);
      expect([answer.status, answer.json]).toEqual([200, made]);
    }
  });

  it("hides another account's room, and what does not exist", async () => {
    const { label, uuid } = (await create()).json;
    for (const path of [
      `/api/v1/rooms/${label}/`,
      '/api/v1/rooms/nothing/',
      '/api/v1/rooms/%00/',
      '/api/v1/rooms/%E0%A4%A/',
      `/api/v1/rooms/${uuid}/`,
    ]) {
      const answer = await get(path, { token: stranger });
      expect([path, answer.status, answer.json]).toEqual([path, 404, { detail: 'Not found.' }]);
    }
  });

  it('holds the latest messages in the order sent, as many as messages_limit says', async () => {
    const room = (await create()).json;
    for (const body of ['one', 'two', 'three']) {
      await app.request('POST', '/api/v1/messages/', { token, body: { body, room: { uuid: room.uuid } } });
    }
    const bodies = async (query: string) =>
      (await get(`/api/v1/rooms/${room.label}/${query}`)).json.messages.map((m: { body: string }) => m.body);
    expect(await bodies('')).toEqual(['one', 'two', 'three']);
    expect(await bodies('?messages_limit=2')).toEqual(['two', 'three']);
    expect(await bodies('?messages_limit=0')).toEqual([]);
    for (const bad of ['501', '-1', 'x', '', '1&messages_limit=2']) {
      expect((await get(`/api/v1/rooms/${room.label}/?messages_limit=${bad}`)).status).toBe(400);
    }
    const [inList] = (await get('/api/v1/rooms/?limit=1')).json;
    expect(Object.keys(inList.messages[0])).toEqual([
      'uuid',
      'nickname',
      'email',
      'phone_number',
      'body',
      'is_support_sender',
      'is_bot',
      'sent_at',
    ]);
  });
});

describe('GET /api/v1/rooms/', () => {
  it('lists the account\u2019s own rooms, newest first', async () => {
    const made = [(await create({ name: 'older' })).json, (await create({ name: 'newer' })).json];
    const listed = (await get('/api/v1/rooms/')).json;
    expect(listed.slice(0, 2)).toEqual(made.reverse());
    const foreign = (await get('/api/v1/rooms/', { token: stranger })).json;
    expect(foreign.map((room: { uuid: string }) => room.uuid)).not.toContain(made[0].uuid);
  });
});

it('tells of a room before what is said in it, also where its maker was cut off before it could', async () => {
  const account = await app.account();
  const { visitor, room } = await app.session(account.widget);
  const announce = vi.spyOn(app.services.relay, 'announce');
  onTestFinished(() => announce.mockRestore());
  // Stored, and told to nobody.
  announce.mockImplementationOnce(() => undefined);
  const fields = { label: room.label, name: '', rating: null, is_bot_use: false };
  await app.services.rooms.create(account.id, fields, room.uuid);
  announce.mockClear();
  const body = { body: 'Hello', room: { uuid: room.uuid } };
  expect((await app.request('POST', '/api/v1/messages/', { visitor, body })).status).toBe(201);
  const told = announce.mock.calls.flatMap(([, { events = [] }]) => events.map(({ name }) => name));
  expect(told).toEqual(['chat.added', 'message.added']);
});
