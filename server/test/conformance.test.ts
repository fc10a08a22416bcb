import { EVENT_NAMES } from '@parlor/shared';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testApp } from './app.ts';
import { type Fixtures, makeFixtures } from './fixtures.ts';
import { bodyMediaOf, comparedWithDocument, document, mismatches } from './openapi.ts';
import { startReceiver, until } from './webhooks-parts.ts';

/** A test for each row of the specification's tables, named after it; `shared/spec` is the original's interface. */

const plain = testApp({ WEBHOOK_RETRY_DELAYS: '50ms' });
/** What any answer of this file, or a delivery, has that the document does not say. */
const undocumented: string[] = [];
const app = { request: comparedWithDocument(plain, (fault) => undocumented.push(fault)) };
let own: Fixtures;

beforeAll(async () => {
  own = await makeFixtures(plain);
});

afterEach(() => {
  expect(undocumented.splice(0)).toEqual([]);
});

const send = (method: string, path: string, body?: object) =>
  app.request(method, path, { token: own.token, ...(body && { body }) });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

describe('4. Account', () => {
  it('POST /api/v1/auth/register', async () => {
    const body = {
      username: 'conform',
      email: 'conform@example.com',
      password: 'Xk93-secret',
      password2: 'Xk93-secret',
    };
    const answer = await app.request('POST', '/api/v1/auth/register', { body });
    expect([answer.status, answer.json]).toEqual([201, { message: 'User registered successfully.' }]);
  });

  it('POST /api/v1/auth/api-token', async () => {
    const body = { username: 'conform', password: 'Xk93-secret' };
    const first = await app.request('POST', '/api/v1/auth/api-token', { body });
    expect([first.status, Object.keys(first.json)]).toEqual([200, ['token']]);
    const reset = { ...body, reset_token: true };
    const second = await app.request('POST', '/api/v1/auth/api-token', { body: reset });
    expect(second.json.token).not.toBe(first.json.token);
    expect((await app.request('GET', '/api/v1/rooms/', { token: first.json.token })).status).toBe(401);
    expect((await app.request('GET', '/api/v1/rooms/', { token: second.json.token })).status).toBe(200);
  });
});

describe('4. Rooms', () => {
  it('list: GET /api/v1/rooms/', async () => {
    const { status, json } = await send('GET', '/api/v1/rooms/');
    expect(status).toBe(200);
    expect(Array.isArray(json)).toBe(true);
    expect(json[0].uuid).toMatch(UUID);
  });

  it('create: POST /api/v1/rooms/', async () => {
    const { status, json } = await send('POST', '/api/v1/rooms/', {
      name: 'A room',
      rating: 4,
      is_bot_use: false,
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({ name: 'A room', rating: 4, is_bot_use: false, messages: [] });
    expect(Object.keys(json).sort()).toEqual(
      ['created_at', 'is_bot_use', 'label', 'messages', 'name', 'rating', 'uuid'].sort(),
    );
    expect(json.created_at).toMatch(MOMENT);
  });

  it('retrieve, update, partial update, destroy: /api/v1/rooms/<label>/', async () => {
    const { label } = (await send('POST', '/api/v1/rooms/', { name: 'Before', rating: 1 })).json;
    const path = `/api/v1/rooms/${label}/`;
    expect((await send('GET', path)).json).toMatchObject({ label, name: 'Before' });
    expect((await send('PUT', path, { name: 'All' })).json).toMatchObject({
      label,
      name: 'All',
      rating: null,
    });
    expect((await send('PATCH', path, { rating: 5 })).json).toMatchObject({ name: 'All', rating: 5 });
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
  });
});

describe('4. Messages', () => {
  it('create: POST /api/v1/messages/ – the room object is not echoed', async () => {
    const body = { body: 'Hi', email: 'ada@example.com', nickname: 'Ada', room: { uuid: own.room.uuid } };
    const { status, json } = await send('POST', '/api/v1/messages/', body);
    expect(status).toBe(201);
    expect(json).toEqual({
      uuid: expect.stringMatching(UUID),
      nickname: 'Ada',
      email: 'ada@example.com',
      body: 'Hi',
      is_support_sender: false,
      sent_at: expect.stringMatching(MOMENT),
    });
  });

  it('list: GET /api/v1/messages/', async () => {
    const { status, json } = await send('GET', '/api/v1/messages/');
    expect([status, json.length > 0]).toEqual([200, true]);
  });

  it('retrieve: GET /api/v1/messages/<uuid>/', async () => {
    const { status, json } = await send('GET', `/api/v1/messages/${own.ids.messages}/`);
    expect([status, json.uuid, json.phone_number]).toEqual([200, own.ids.messages, '']);
  });
});

describe('4. Keyword notifications', () => {
  it('list: GET /api/v1/keyword_notifications/', async () => {
    expect(await send('GET', '/api/v1/keyword_notifications/')).toMatchObject({ status: 200, json: [] });
  });
});

describe('4. Leads', () => {
  it('list: GET /api/v1/leads/ with start_date, end_date, both, and limit', async () => {
    const today = new Date().toISOString().slice(0, 10);
    for (const [query, found] of [
      [`start_date=${today}`, true],
      [`end_date=${today}`, true],
      [`start_date=${today}&end_date=${today}`, true],
      ['end_date=2020-01-01', false],
      ['start_date=2020-01-01&end_date=2020-12-31', false],
    ] as const) {
      const { status, json } = await send('GET', `/api/v1/leads/?${query}`);
      expect([query, status, json.length > 0]).toEqual([query, 200, found]);
    }
    expect((await send('GET', '/api/v1/leads/?limit=1')).json).toHaveLength(1);
  });

  it('create, retrieve, update, partial update, destroy: /api/v1/leads/<uuid>/', async () => {
    const made = await send('POST', '/api/v1/leads/', { nickname: 'Ada', email: 'ada@example.com' });
    expect([made.status, made.json.created_at]).toEqual([201, expect.stringMatching(MOMENT)]);
    const path = `/api/v1/leads/${made.json.uuid}/`;
    expect((await send('GET', path)).json).toEqual(made.json);
    expect((await send('PUT', path, { nickname: 'Grace' })).json).toMatchObject({
      nickname: 'Grace',
      email: '',
    });
    expect((await send('PATCH', path, { device: 'a phone' })).json.device).toBe('a phone');
    expect((await send('DELETE', path)).status).toBe(204);
  });

  it('analytics: GET /api/v1/leads/stats/?group_by=user', async () => {
    const { status, json } = await send('GET', '/api/v1/leads/stats/?group_by=user');
    expect(status).toBe(200);
    expect(json).toMatchObject({ group_by: 'user', total: expect.any(Number), results: expect.any(Array) });
  });
});

describe('4. Webhooks', () => {
  it('list, create, retrieve, update, partial update, destroy: /api/v1/webhooks/<uuid>/', async () => {
    const sent = { event: 'message.added', target: 'https://example.com/hook' };
    const { status, json } = await send('POST', '/api/v1/webhooks/', sent);
    expect([status, json]).toEqual([201, { uuid: expect.stringMatching(UUID), ...sent }]);
    const path = `/api/v1/webhooks/${json.uuid}/`;
    expect((await send('GET', path)).json).toEqual(json);
    expect((await send('GET', '/api/v1/webhooks/')).json).toContainEqual(json);
    const put = { event: 'lead.changed', target: 'https://example.com/other' };
    expect((await send('PUT', path, put)).json).toEqual({ uuid: json.uuid, ...put });
    expect((await send('PATCH', path, { event: 'lead.added' })).json.event).toBe('lead.added');
    expect((await send('DELETE', path)).status).toBe(204);
  });

  it.each(['chat.added', 'message.added', 'lead.added', 'lead.changed', 'keyword_notification.added'])(
    'section 6: event %s can be subscribed to',
    async (event) => {
      const target = `https://example.com/${event}`;
      expect((await send('POST', '/api/v1/webhooks/', { event, target })).status).toBe(201);
    },
  );
});

describe('6. Webhooks', () => {
  it('every event is posted with the body and the headers that the document describes', async () => {
    const receiver = await startReceiver();
    for (const event of EVENT_NAMES) {
      const target = `${receiver.url}?${event}`;
      expect((await send('POST', '/api/v1/webhooks/', { event, target })).status).toBe(201);
    }
    await send('POST', '/api/v1/keywords/', { keyword: 'delivery' });
    const room = (await send('POST', '/api/v1/rooms/', { name: 'A room' })).json;
    await send('POST', '/api/v1/messages/', { body: 'What of delivery?', room: { uuid: room.uuid } });
    const lead = (await send('POST', '/api/v1/leads/', { nickname: 'Ada' })).json;
    await send('PATCH', `/api/v1/leads/${lead.uuid}/`, { email: 'ada@example.com' });
    await until(async () => receiver.hits.length >= EVENT_NAMES.length);
    const { hits } = receiver;
    expect(hits.map(({ json }) => json.webhook.event).sort()).toEqual([...EVENT_NAMES].sort());
    for (const { json, headers } of hits) {
      const described = document.webhooks?.[json.webhook.event]?.post;
      const { schema } = bodyMediaOf(described);
      expect([json.webhook.event, mismatches(schema, json)]).toEqual([json.webhook.event, []]);
      for (const one of described?.parameters ?? []) {
        if (!('name' in one)) throw new Error('a header that is no header');
        expect([one.name, mismatches(one.schema, headers[one.name.toLowerCase()])]).toEqual([one.name, []]);
      }
      expect(headers['user-agent']).toBe(`Parlor-Webhooks/${document.info.version}`);
    }
  });
});

describe('4. Widgets', () => {
  it('retrieve: GET /api/v1/widgets/?token=<widget_token>, public', async () => {
    const answer = await app.request('GET', `/api/v1/widgets/?token=${own.ids.widgets}`);
    expect([answer.status, answer.json.token]).toEqual([200, own.ids.widgets]);
    expect(Object.keys(answer.json)).toHaveLength(27);
  });

  it('update and partial update: /api/v1/widgets/<widget_token>/', async () => {
    const path = `/api/v1/widgets/${own.ids.widgets}/`;
    expect((await send('PUT', path, { name: 'All' })).json).toMatchObject({
      name: 'All',
      token: own.ids.widgets,
    });
    expect((await send('PATCH', path, { popup_timeout: 5 })).json).toMatchObject({
      name: 'All',
      popup_timeout: 5,
    });
    expect((await app.request('PATCH', path, { body: {} })).status).toBe(401);
  });
});

describe('4. Agent API', () => {
  const start = (headers: Record<string, string>, body?: object) =>
    app.request('POST', '/api/v1/public/conversations/start', { headers, ...(body && { body }) });

  it('POST /api/v1/public/conversations/start', async () => {
    const { status, json } = await start({ 'x-api-key': own.agentKey }, { metadata: { name: 'Ada' } });
    expect(status).toBe(200);
    expect(json).toEqual({
      conversationId: expect.any(String),
      message: expect.stringContaining('Hello!'),
      workflowName: 'A workflow',
    });
  });

  it('section 7: 401 without a key or with an invalid one', async () => {
    for (const headers of [{}, { 'x-api-key': 'pk_live_nothing' }] as Record<string, string>[]) {
      const { status, json } = await start(headers);
      expect([status, json.error]).toEqual([401, expect.stringContaining('X-API-Key header')]);
    }
  });
});
