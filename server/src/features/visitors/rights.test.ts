import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { operations } from '../../../test/openapi.ts';

const app = testApp();
let widget = '';
let visitor = '';
let room = { uuid: '', label: '' };

beforeAll(async () => {
  ({ widget } = await app.account());
  ({ visitor, room } = await app.session(widget));
  await app.request('POST', '/api/v1/messages/', {
    visitor,
    body: { body: 'Hi', room: { uuid: room.uuid } },
  });
});

/** All that a visitor's token opens (docs/contract.md#visitors). */
const OPEN = [
  'POST /api/v1/widgets/{widget_token}/sessions/',
  'DELETE /api/v1/widgets/{widget_token}/sessions/',
  'GET /api/v1/messages/',
  'POST /api/v1/messages/',
  'POST /api/v1/leads/',
  'PATCH /api/v1/leads/{uuid}/',
  'PATCH /api/v1/rooms/{label}/',
];

const named = operations.map((operation) => ({
  ...operation,
  name: `${operation.method} ${operation.path}`,
}));
const closed = named.filter(({ name, callers }) => !OPEN.includes(name) && callers.includes('Token'));

describe('a visitor', () => {
  it('is let in where docs/contract.md#visitors says, and nowhere else', () => {
    const described = named.filter(({ callers }) => callers.includes('Visitor')).map(({ name }) => name);
    expect(described.sort()).toEqual([...OPEN].sort());
    expect(closed.length).toBeGreaterThan(20);
  });

  it.each(closed)('gets 403 for $name', async ({ method, path, body }) => {
    // Its own room's names wherever they fit: nothing is opened by knowing them.
    const filled = path
      .replace('{label}', room.label)
      .replace('{widget_token}', widget)
      .replace(/\{\w+\}/g, randomUUID());
    const answer = await app.request(method, filled, { visitor, ...(body && { body }) });
    expect([answer.status, answer.json]).toEqual([
      403,
      { detail: 'You do not have permission to perform this action.' },
    ]);
  });

  it("gets 404 or 400 for what is another visitor's", async () => {
    const other = await app.session(widget);
    const send = { visitor: other.visitor, body: { body: 'Hi', room: { uuid: other.room.uuid } } };
    await app.request('POST', '/api/v1/messages/', send);
    const lead = await app.request('POST', '/api/v1/leads/', {
      visitor: other.visitor,
      body: { nickname: 'Other' },
    });
    const foreign = await app.account();
    for (const [method, path, body, status] of [
      ['GET', `/api/v1/messages/?room=${other.room.uuid}`, undefined, 404],
      ['POST', '/api/v1/messages/', { body: 'Hi', room: { uuid: other.room.uuid } }, 400],
      ['PATCH', `/api/v1/leads/${lead.json.uuid}/`, { nickname: 'Mine' }, 404],
      ['PATCH', `/api/v1/rooms/${other.room.label}/`, { rating: 1 }, 404],
      ['POST', `/api/v1/widgets/${foreign.widget}/sessions/`, {}, 404],
      ['DELETE', `/api/v1/widgets/${foreign.widget}/sessions/`, undefined, 404],
    ] as const) {
      const answer = await app.request(method, path, { visitor, ...(body && { body }) });
      expect([path, answer.status]).toEqual([path, status]);
    }
  });

  it('changes nothing of its room but the rating', async () => {
    const path = `/api/v1/rooms/${room.label}/`;
    const body = { rating: 4, name: 'Mine', label: 'mine', is_bot_use: true };
    const answer = await app.request('PATCH', path, { visitor, body });
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { rating: 4, name: '', label: room.label, is_bot_use: false },
    ]);
  });

  /** A new visitor of a widget whose conversations a bot answers, and what it changes of its room. */
  const guest = async () => {
    const owner = await app.account();
    const { token } = owner;
    const asOwner = (method: string, path: string, body?: Record<string, unknown>) =>
      app.request(method, `/api/v1/${path}`, { token, ...(body && { body }) });
    await asOwner('PATCH', `widgets/${owner.widget}/`, { is_bot_use: true });
    const made = await app.session(owner.widget);
    const change = (label: string, body: Record<string, unknown>) =>
      app.request('PATCH', `/api/v1/rooms/${label}/`, { visitor: made.visitor, body });
    const say = (body: string) =>
      app.request('POST', '/api/v1/messages/', {
        visitor: made.visitor,
        body: { body, room: { uuid: made.room.uuid } },
      });
    /** Of requests that ask for a person under a condition that can't hold, and wrongly. */
    const refusedChange = async (label: string) => {
      const body = { is_bot_use: false };
      const { visitor } = made;
      const path = `/api/v1/rooms/${label}/`;
      const answers = [
        await app.request('PATCH', path, { visitor, body, headers: { 'if-match': '"another"' } }),
        await app.request('PATCH', `${path}?messages_limit=-1`, { visitor, body }),
      ];
      expect((await asOwner('GET', 'rooms/')).json).toEqual([]);
      return answers.map(({ status }) => status);
    };
    return { asOwner, change, refusedChange, say, ...made.room };
  };

  it('who asks for a person gets one, whether or not its room is there', async () => {
    const { asOwner, change, refusedChange, say, uuid, label } = await guest();
    expect(await refusedChange(label)).toEqual([404, 400]);
    // No room is made for stars, or by what is left to the owner.
    for (const body of [{ rating: 5 }, { is_bot_use: true }, {}])
      expect((await change(label, body)).status).toBe(404);
    for (let round = 0; round < 2; round++) {
      const answer = await change(label, { is_bot_use: false });
      expect([answer.status, answer.json]).toMatchObject([200, { uuid, label, is_bot_use: false }]);
      expect((await say('Is somebody there?')).status).toBe(201);
      expect((await asOwner('GET', `rooms/${label}/`)).json).toMatchObject({ uuid, is_bot_use: false });
      expect((await asOwner('DELETE', `rooms/${label}/`)).status).toBe(204);
    }
  });

  it('reaches its room by the label that it knows, also where a member has changed that', async () => {
    const { asOwner, change, say, uuid, label } = await guest();
    await say('Hello');
    await asOwner('PATCH', `rooms/${label}/`, { label: 'lamps' });
    const other = await asOwner('POST', 'rooms/', { label });
    for (const known of [label, 'lamps']) {
      const answer = await change(known, { is_bot_use: false, rating: 4 });
      expect([answer.status, answer.json]).toMatchObject([200, { uuid, label: 'lamps', is_bot_use: false }]);
    }
    expect((await asOwner('GET', `rooms/${label}/`)).json).toMatchObject({
      uuid: other.json.uuid,
      rating: null,
    });
    expect((await change('elsewhere', { rating: 1 })).status).toBe(404);
  });

  it('is heard, and reaches its room, where another one has taken the reserved label meanwhile', async () => {
    const { asOwner, change, say, uuid, label } = await guest();
    const other = await asOwner('POST', 'rooms/', { label });
    expect((await say('Hello')).status).toBe(201);
    const answer = await change(label, { is_bot_use: false, rating: 4 });
    expect([answer.status, answer.json]).toMatchObject([200, { uuid, rating: 4 }]);
    expect((await asOwner('GET', `rooms/${answer.json.label}/`)).json).toMatchObject({ uuid, rating: 4 });
    expect((await asOwner('GET', `rooms/${label}/`)).json).toMatchObject({
      uuid: other.json.uuid,
      rating: null,
    });
  });
});
