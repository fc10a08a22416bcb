import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let token = '';
let widget = '';
let otherWidget = '';

beforeAll(async () => {
  const account = await app.account();
  ({ token, widget } = account);
  otherWidget = (await app.services.widgets.create(account.id, {})).token;
});

const open = (body?: unknown, more = {}) =>
  app.request('POST', `/api/v1/widgets/${widget}/sessions/`, { body, ...more });
const write = (visitor: string, uuid: string, more: object = {}) =>
  app.request('POST', '/api/v1/messages/', { visitor, body: { body: 'Hi', room: { uuid }, ...more } });

describe('POST /api/v1/widgets/<widget_token>/sessions/', () => {
  it('gives a token, when it ends, and the reserved room', async () => {
    for (const body of [
      undefined,
      {},
      { page: { url: 'https://x.test/', title: 'X', referrer: '' }, locale: 'de' },
    ]) {
      const answer = await open(body);
      expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
      expect(answer.json).toEqual({
        token: expect.stringMatching(/^v1\./),
        expires_at: expect.stringMatching(/\.\d{3}\+00:00$/),
        room: { uuid: expect.any(String), label: expect.stringMatching(/^\w{10}$/) },
      });
      const days = (Date.parse(answer.json.expires_at) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(29.9);
      expect(days).toBeLessThan(30.1);
    }
  });

  it('answers 404 to an unknown widget, 400 to a page that is none', async () => {
    expect((await app.request('POST', '/api/v1/widgets/nothing/sessions/', { body: {} })).status).toBe(404);
    expect((await open({ page: 'x' })).json).toEqual({
      page: ['Invalid data. Expected a dictionary, but got str.'],
    });
    expect((await open({ locale: 5 })).json).toEqual({ locale: ['Not a valid string.'] });
  });

  it('goes on with the same room, and the earlier token stays good', async () => {
    const first = (await open({})).json;
    const again = await open({}, { visitor: first.token });
    expect([again.status, again.json.room]).toEqual([201, first.room]);
    expect((await write(first.token, first.room.uuid)).status).toBe(201);
    expect((await write(again.json.token, first.room.uuid)).status).toBe(201);
    const elsewhere = await app.request('POST', `/api/v1/widgets/${otherWidget}/sessions/`, {
      visitor: first.token,
      body: {},
    });
    expect(elsewhere.status).toBe(404);
  });
});

describe('Authorization: Visitor', () => {
  it('reserves the room only: nobody sees it until the first message', async () => {
    const { visitor, room } = await app.session(widget);
    const path = `/api/v1/rooms/${room.label}/`;
    expect((await app.request('GET', path, { token })).status).toBe(404);
    const own = { token, body: { body: 'Hi', room: { uuid: room.uuid } } };
    expect((await app.request('POST', '/api/v1/messages/', own)).status).toBe(400);
    expect((await app.request('GET', '/api/v1/messages/', { visitor })).json).toEqual([]);
    expect((await write(visitor, room.uuid)).status).toBe(201);
    expect((await app.request('GET', path, { token })).json.uuid).toBe(room.uuid);
  });

  it('makes one room of many first messages at once', async () => {
    const { visitor, room } = await app.session(widget);
    const answers = await Promise.all(Array.from({ length: 20 }, () => write(visitor, room.uuid)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const shown = (await app.request('GET', `/api/v1/rooms/${room.label}/`, { token })).json;
    expect(shown.messages).toHaveLength(20);
  });

  it('writes into its own room only, and never as support', async () => {
    const mine = await app.session(widget);
    const other = await app.session(widget);
    await write(other.visitor, other.room.uuid);
    expect((await write(mine.visitor, other.room.uuid)).json.room.uuid).toHaveLength(1);
    const support = await write(mine.visitor, mine.room.uuid, { is_support_sender: true });
    expect([support.status, Object.keys(support.json)]).toEqual([400, ['is_support_sender']]);
  });

  it('lists its own room only', async () => {
    const mine = await app.session(widget);
    const other = await app.session(widget);
    await write(mine.visitor, mine.room.uuid);
    await write(other.visitor, other.room.uuid);
    const list = (query = '') => app.request('GET', `/api/v1/messages/${query}`, { visitor: mine.visitor });
    expect((await list()).json).toHaveLength(1);
    expect((await list(`?room=${mine.room.uuid.toUpperCase()}`)).json).toHaveLength(1);
    expect((await list(`?room=${other.room.uuid}`)).status).toBe(404);
  });

  it('opens no other route', async () => {
    const { visitor, room } = await app.session(widget);
    await write(visitor, room.uuid);
    for (const [method, path] of [
      ['GET', '/api/v1/rooms/'],
      ['POST', '/api/v1/rooms/'],
      ['GET', `/api/v1/rooms/${room.label}/`],
      ['GET', `/api/v1/messages/${room.uuid}/`],
    ] as const) {
      const answer = await app.request(method, path, { visitor });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });

  it('is dead when it was changed, ran out, or its widget is gone', async () => {
    const { visitor, room } = await app.session(widget);
    const [version, session, expiry, signature] = visitor.split('.');
    for (const bad of [
      `${version}.${session}.${expiry}.${'0'.repeat(64)}`,
      `${version}.${session}.zzzzzzzz.${signature}`,
      `${version}.00000000-0000-4000-8000-000000000000.${expiry}.${signature}`,
      visitor.slice(0, -1),
      '',
    ]) {
      expect((await write(bad, room.uuid)).status).toBe(401);
    }
    vi.useFakeTimers({ now: Date.now() + 31 * 86_400_000, toFake: ['Date'] });
    const late = await write(visitor, room.uuid);
    vi.useRealTimers();
    expect([late.status, late.json]).toEqual([401, { detail: 'Invalid token.' }]);
  });
});
