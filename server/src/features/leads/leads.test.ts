import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { buriedEvents, holdEvents, waitingStill } from '../../../test/events.ts';

const app = testApp();
let token = '';
let stranger = '';
let widget = '';

beforeAll(async () => {
  ({ token, widget } = await app.account());
  stranger = (await app.account()).token;
});

const create = (body: object, more = {}) => app.request('POST', '/api/v1/leads/', { token, body, ...more });
const at = (uuid: string) => `/api/v1/leads/${uuid}/`;
const ADA = { nickname: 'Ada', email: 'ada@example.com', phone_number: '+44 20 7946 0000' };
const NO_CONTACT = { non_field_errors: ['One of nickname, email, phone_number must not be blank.'] };

/** The events of leads that were ever made in this file, by the lead's uuid. */
const eventsOf = async (uuid: string) => {
  const stored = await app.services.models.leads.findOne({ _id: uuid }).lean();
  return stored?.events ?? [];
};

describe('POST /api/v1/leads/', () => {
  it('answers the whole lead', async () => {
    const sent = { ...ADA, device: 'a phone', from_page_title: 'Prices', referrer: 'https://x.test/' };
    const answer = await create(sent);
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      uuid: expect.any(String),
      ...sent,
      widget: null,
      conversation: null,
      created_at: expect.stringMatching(/\+00:00$/),
    });
    expect(answer.headers.location).toMatch(new RegExp(`/api/v1/leads/${answer.json.uuid}/$`));
  });

  it.each([
    [{}, NO_CONTACT],
    [{ nickname: ' ', email: '', phone_number: null }, NO_CONTACT],
    [{ email: 'x' }, { email: ['Enter a valid email address.'] }],
    [{ ...ADA, device: 'x'.repeat(201) }, { device: ['Ensure this field has no more than 200 characters.'] }],
    [{ ...ADA, referrer: 5 }, { referrer: ['Not a valid string.'] }],
  ])('refuses %j', async (body, errors) => {
    const answer = await create(body);
    expect([answer.status, answer.json]).toEqual([400, errors]);
  });
});

it('says where a visitor has left it, and nobody can write that', async () => {
  const { visitor, room } = await app.session(widget);
  const elsewhere = { widget: room.uuid, conversation: null };
  const left = await app.request('POST', '/api/v1/leads/', { visitor, body: { ...ADA, ...elsewhere } });
  const { json: own } = await app.request('GET', '/api/v1/widgets/', { token });
  const place = { widget: own[0].uuid, conversation: room.uuid };
  expect(left.json).toMatchObject(place);
  const path = at(left.json.uuid);
  for (const method of ['PUT', 'PATCH']) {
    const { status, json } = await app.request(method, path, { token, body: { ...ADA, ...elsewhere } });
    expect([status, json]).toEqual([200, expect.objectContaining(place)]);
  }
});

describe('/api/v1/leads/<uuid>/', () => {
  it('is read, replaced, changed and deleted', async () => {
    const { uuid, created_at } = (await create(ADA)).json;
    const put = await app.request('PUT', at(uuid), { token, body: { nickname: 'Grace' } });
    expect([put.status, put.json]).toEqual([
      200,
      {
        uuid,
        nickname: 'Grace',
        email: '',
        phone_number: '',
        device: '',
        from_page_title: '',
        referrer: '',
        widget: null,
        conversation: null,
        created_at,
      },
    ]);
    const patch = await app.request('PATCH', at(uuid), { token, body: { email: ADA.email } });
    expect(patch.json).toMatchObject({ nickname: 'Grace', email: ADA.email });
    expect((await app.request('GET', at(uuid), { token })).json).toEqual(patch.json);
    const gone = await app.request('DELETE', at(uuid), { token });
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      expect((await app.request(method, at(uuid), { token, body: ADA })).status).toBe(404);
    }
  });

  it('keeps a way to reach somebody', async () => {
    const { uuid } = (await create({ nickname: 'Ada' })).json;
    for (const [method, body] of [
      ['PUT', {}],
      ['PATCH', { nickname: '' }],
      ['PATCH', { nickname: null }],
    ] as const) {
      const answer = await app.request(method, at(uuid), { token, body });
      expect([answer.status, answer.json]).toEqual([400, NO_CONTACT]);
    }
  });

  it('announces what really changed', async () => {
    const resume = holdEvents(app.services);
    const { uuid } = (await create(ADA)).json;
    const announced: object[] = [];
    const { models } = app.services;
    const before = await models.leads.findOne({ _id: uuid }).lean();
    await app.request('PATCH', at(uuid), { token, body: {} });
    await app.request('PATCH', at(uuid), { token, body: { nickname: 'Ada' } });
    expect((await models.leads.findOne({ _id: uuid }).lean())?.version).toBe(before?.version);
    const answer = await app.request('PATCH', at(uuid), { token, body: { nickname: 'Grace', device: 'x' } });
    resume();
    for (const event of await eventsOf(uuid)) if (event.name === 'lead.changed') announced.push(event.data);
    expect(announced).toEqual([{ ...answer.json, changed: ['nickname', 'device'] }]);
  });

  it('changes for one of two writers with the same If-Match', async () => {
    for (let round = 0; round < 5; round++) {
      const made = await create(ADA);
      const headers = { 'if-match': made.headers.etag ?? '' };
      const write = (device: string) =>
        app.request('PATCH', at(made.json.uuid), { token, headers, body: { device } });
      const answers = await Promise.all([write('one'), write('two')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const stale = await app.request('DELETE', at(made.json.uuid), { token, headers });
      expect([stale.status, stale.json.detail]).toEqual([412, expect.any(String)]);
      const winner = answers.find(({ status }) => status === 200);
      const fresh = { 'if-match': `"other", ${winner?.headers.etag}` };
      expect((await app.request('DELETE', at(made.json.uuid), { token, headers: fresh })).status).toBe(204);
    }
  });

  it("is another account's 404 on every method", async () => {
    const { uuid } = (await create(ADA)).json;
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await app.request(method, at(uuid), { token: stranger, body: ADA });
      expect([answer.status, answer.json]).toEqual([404, { detail: 'Not found.' }]);
    }
    expect((await app.request('GET', '/api/v1/leads/', { token: stranger })).json).toEqual([]);
  });

  it('keeps the events of one that is deleted the next instant', async () => {
    const resume = holdEvents(app.services);
    const { uuid } = (await create(ADA)).json;
    await waitingStill(app.services.models.leads, uuid);
    await app.request('DELETE', at(uuid), { token });
    resume();
    expect(await buriedEvents(app.services)).toContainEqual(['lead.added', uuid]);
  });
});

describe("a visitor's lead", () => {
  const CHROME =
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

  const session = async () => {
    const { json } = await app.request('POST', `/api/v1/widgets/${widget}/sessions/`, {
      headers: { 'user-agent': CHROME },
      body: { page: { url: 'https://x.test/prices', title: 'Prices', referrer: 'https://search.test/' } },
    });
    return { visitor: json.token as string, room: json.room as { uuid: string; label: string } };
  };
  const post = (visitor: string, body: object) => app.request('POST', '/api/v1/leads/', { visitor, body });

  it('is one: a second POST changes it and answers 200', async () => {
    const { visitor, room } = await session();
    expect((await post(visitor, {})).json).toEqual(NO_CONTACT);
    const first = await post(visitor, { nickname: 'Ada' });
    expect(first.status).toBe(201);
    expect(first.json).toMatchObject({
      nickname: 'Ada',
      device: 'Chrome 140 on Android, mobile',
      from_page_title: 'Prices',
      referrer: 'https://search.test/',
    });
    const second = await post(visitor, { email: ADA.email });
    expect([second.status, second.json]).toEqual([200, { ...first.json, email: ADA.email }]);
    const patch = await app.request('PATCH', at(first.json.uuid), { visitor, body: { phone_number: '1' } });
    expect([patch.status, patch.json.phone_number]).toEqual([200, '1']);
    const seen = await app.request('GET', `/api/v1/rooms/${room.label}/`, { token });
    expect([seen.status, seen.json.uuid]).toEqual([200, room.uuid]);
  });

  it('is one of many first posts at once', async () => {
    const { visitor } = await session();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => post(visitor, { nickname: `Ada ${n}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(answers.map(({ json }) => json.uuid)).size).toBe(1);
  });

  it('is all that a visitor touches', async () => {
    const mine = await session();
    const other = await session();
    const { uuid } = (await post(other.visitor, { nickname: 'Grace' })).json;
    const own = (await post(mine.visitor, { nickname: 'Ada' })).json.uuid;
    const as = { visitor: mine.visitor, body: { nickname: 'x' } };
    expect((await app.request('PATCH', at(uuid), as)).status).toBe(404);
    for (const [method, path] of [
      ['GET', at(own)],
      ['PUT', at(own)],
      ['DELETE', at(own)],
      ['GET', '/api/v1/leads/'],
      ['GET', '/api/v1/leads/stats/'],
    ] as const) {
      expect([method, path, (await app.request(method, path, as)).status]).toEqual([method, path, 403]);
    }
  });
});
