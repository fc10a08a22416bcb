import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { RIGHTS } from '../src/features/access/rights.ts';
import { testApp } from './app.ts';
import { type Fixtures, makeFixtures, withOwn } from './fixtures.ts';
import { PASSWORD, testMembers } from './members.ts';
import type { Operation } from './openapi.ts';
import { marks, secured, sender } from './tenancy-parts.ts';

const app = testApp();
const send = sender(app);
/** Objects that nobody but their owner may touch. */
let kept: Fixtures;

beforeAll(async () => {
  kept = await makeFixtures(app);
});

/**
 * As tenancy.test.ts, within an account: an operator that is restricted to one widget, against what belongs to another one (a
 * visitor's room, message and lead) and to none (what the API made).
 */
describe('an operator who is restricted to a widget', () => {
  const { member } = testMembers(app);
  /** The visitor's objects belong to it. */
  const inside = { uuid: '', token: '' };
  /** Nothing belongs to it. */
  const outside = { uuid: '', token: '' };
  let ofWidget = '';

  /** An operator of the account, restricted to the widget of its visitor, or to another one. */
  const restricted = async (objects: Fixtures, isInside: boolean) => {
    const { token, ids } = objects;
    const widgets = await app.request('GET', '/api/v1/widgets/', { token });
    const first = widgets.json.find((one: { token: string }) => one.token === ids.widgets);
    const other = isInside ? first : (await app.request('POST', '/api/v1/widgets/', { token })).json;
    const { uuid, ...operator } = await member(token, 'operator', { widgets: [other.uuid] });
    return { member: uuid, widget: first.uuid as string, ...operator };
  };

  beforeAll(async () => {
    const made = await restricted(kept, true);
    ofWidget = made.widget;
    Object.assign(inside, { uuid: made.member, token: made.token });
    const other = await restricted(kept, false);
    Object.assign(outside, { uuid: other.member, token: other.token });
  });

  /** What an answer says, but for what differs from one request to the next. */
  const saidBy = ({ status, headers, text }: Awaited<ReturnType<typeof send>>) => {
    const { date: _, 'x-request-id': _id, ratelimit: _r, ...rest } = headers;
    return { status, headers: rest, text };
  };

  /** The same objects, none of which exist. */
  const missing = (): Fixtures => ({
    ...kept,
    room: { uuid: randomUUID(), label: 'no-such-room' },
    ids: Object.fromEntries(
      Object.keys(kept.ids).map((name) => [name, name === 'rooms' ? 'no-such-room' : randomUUID()]),
    ),
  });

  const named = (found: Operation[]) => found.map((operation) => [operation.id, operation] as const);
  const callable = secured.filter(({ id }) => RIGHTS[id]?.[0].includes('operator'));
  /** Those that are about one room, message or lead. */
  const ofOne = callable.filter(({ path }) => /^.api.v1.(rooms|messages|leads|conversations).*\{/.test(path));
  const naming = callable.filter(
    (operation) => ofOne.includes(operation) || operation.id === 'createMessage',
  );

  it.each(named(callable))(
    '%s shows nothing of another widget, and nothing of none',
    async (id, operation) => {
      for (const isVisitors of [true, false]) {
        const own = id === 'changePassword' ? await restricted(kept, false) : outside;
        const answer = await send(operation, kept, own, isVisitors);
        expect(answer.status).toBeLessThan(500);
        if (ofOne.includes(operation)) {
          expect([answer.status, answer.json]).toEqual([404, { detail: 'Not found.' }]);
        }
        if (id === 'createRoom') expect(answer.status).toBe(403);
        if (id === 'createMessage') expect(answer.status).toBe(400);
        if (id === 'changeConversations') expect(answer.json).toMatchObject({ changed: [], refused: [] });
        // Colleagues with their pictures and saved replies are no secret, nor is what a refused body has named itself.
        const isNaming = id === 'createMessage' || id === 'changeConversations';
        const known = isNaming
          ? [kept.room.uuid, kept.visitor.room.uuid]
          : [kept.ids.members, kept.ids.avatars, kept.ids.replies];
        for (const mark of [...marks(kept), ofWidget]) {
          if (!known.includes(mark)) expect(answer.text).not.toContain(mark);
        }
      }
    },
  );

  it.each(named(naming))('%s answers as if what it names did not exist', async (id, operation) => {
    for (const headers of [{}, { 'if-match': '*' }, { 'if-none-match': '*' }, { 'idempotency-key': id }]) {
      const none = missing();
      const known = await send(operation, kept, { ...outside, headers }, true);
      const unknown = await send(operation, none, { ...outside, headers });
      const text = known.text.replaceAll(kept.visitor.room.uuid, none.room.uuid);
      expect({ ...saidBy(known), text }).toEqual(saidBy(unknown));
    }
  });

  it.each(named(ofOne))('%s serves what belongs to its own', async (id, operation) => {
    const made = await makeFixtures(app);
    const { token } = await restricted(made, true);
    const objects = await withOwn(app, operation, made, token);
    // What belongs to no widget is out of its view, too.
    expect((await send(operation, objects, { token })).status).toBe(404);
    const answer = await send(operation, objects, { token }, true);
    // The example changes the label.
    if (id === 'updateRoom') expect([answer.status, Object.keys(answer.json)]).toEqual([400, ['label']]);
    else expect(answer.status).toBeLessThan(300);
  });

  it('changes a room but for its label, and so learns of no other that has one', async () => {
    const path = `/api/v1/rooms/${kept.visitor.room.label}/`;
    const change = (method: string, body: object) => app.request(method, path, { token: inside.token, body });
    for (const label of [kept.room.label, `free-${randomUUID()}`]) {
      for (const method of ['PUT', 'PATCH']) {
        expect((await change(method, { name: 'Other', label })).json).toEqual({
          label: ['Only members who see all widgets may change it.'],
        });
      }
    }
    const { label } = kept.visitor.room;
    expect((await change('PATCH', { name: 'Renamed', label })).json.name).toBe('Renamed');
    expect((await change('PUT', {})).json).toMatchObject({ name: '', label });
  });

  it('gets no answer again of a room that went out of its view', async () => {
    const objects = await makeFixtures(app);
    const { token, member: uuid } = await restricted(objects, true);
    const body = { body: 'Mine', room: { uuid: objects.visitor.room.uuid } };
    const post = () =>
      app.request('POST', '/api/v1/messages/', { token, body, headers: { 'idempotency-key': 'once' } });
    const first = await post();
    expect((await post()).json).toEqual(first.json);
    const change = { token: objects.token, body: { widgets: [] } };
    expect((await app.request('PATCH', `/api/v1/members/${uuid}/`, change)).status).toBe(200);
    const [field] = Object.keys((await post()).json);
    expect(field).toBe('room');
  });

  it('restricts its programs and its sessions, too', async () => {
    const { token } = outside;
    const body = { name: 'sync', scopes: ['conversations:write', 'leads:write', 'widgets:read'] };
    const program = (await app.request('POST', '/api/v1/tokens/', { token, body })).json.token;
    const member = (await app.request('GET', '/api/v1/members/me/', { token })).json;
    const signIn = { username: member.username, password: PASSWORD };
    const { headers } = await app.request('POST', '/api/v1/auth/session', { body: signIn });
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    for (const as of [{ token: program }, { headers: { cookie } }]) {
      for (const path of ['rooms', 'messages', 'leads']) {
        expect((await app.request('GET', `/api/v1/${path}/`, as)).json).toEqual([]);
      }
      const path = `/api/v1/rooms/${kept.visitor.room.label}/`;
      expect((await app.request('GET', path, as)).status).toBe(404);
      const widgets = (await app.request('GET', '/api/v1/widgets/', as)).json;
      expect(widgets.map(({ uuid }: { uuid: string }) => uuid)).toEqual(member.widgets);
    }
    expect((await app.request('POST', '/api/v1/rooms/', { token: program })).status).toBe(403);
  });

  it('pages through its lists as if there were nothing else', async () => {
    const { token, id } = await app.account();
    const widgets = [];
    for (const name of ['a', 'b', 'c']) {
      widgets.push((await app.request('POST', '/api/v1/widgets/', { token, body: { name } })).json);
    }
    const own = [];
    for (let n = 0; n < 12; n++) {
      const { visitor, room } = await app.session(widgets[n % 3].token);
      const body = { body: 'Hi', room: { uuid: room.uuid } };
      await app.request('POST', '/api/v1/messages/', { visitor, body });
      await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: `Ada ${n}` } });
      if (n % 3 > 0) own.unshift(room.uuid);
    }
    // All at once: nothing but the id orders them.
    const created_at = new Date();
    const { rooms, messages, leads } = app.services.models;
    const theirs = { account: id };
    await rooms.updateMany(theirs, { $set: { created_at } });
    await leads.updateMany(theirs, { $set: { created_at } });
    await messages.updateMany(theirs, { $set: { sent_at: created_at } });
    const of = widgets.slice(1).map(({ uuid }) => uuid);
    const operator = await member(token, 'operator', { widgets: of });
    for (const list of ['rooms', 'messages', 'leads', 'widgets']) {
      const found: any[] = [];
      const pages: number[] = [];
      for (let path = `/api/v1/${list}/?limit=3`; path !== ''; ) {
        const answer = await app.request('GET', path, { token: operator.token });
        found.push(...answer.json);
        pages.push(answer.json.length);
        path = /<https?:..[^/]+([^>]+)>/.exec(answer.headers.link ?? '')?.[1] ?? '';
      }
      expect(new Set(found.map(({ uuid }) => uuid)).size).toBe(found.length);
      expect([list, pages]).toEqual([list, list === 'widgets' ? [2] : [3, 3, 2]]);
      if (list === 'rooms') expect(found.map(({ uuid }) => uuid).sort()).toEqual(own.sort());
      if (list === 'messages') expect(found.map(({ room }) => room.uuid).sort()).toEqual(own.sort());
    }
  });

  it('is shown by lists and statistics what belongs to its own, and nothing else', async () => {
    const { room, message, lead } = kept.visitor;
    const listed = async (path: string) => (await app.request('GET', path, { token: inside.token })).json;
    const uuids = async (path: string) => (await listed(path)).map(({ uuid }: { uuid: string }) => uuid);
    expect(await uuids('/api/v1/rooms/')).toEqual([room.uuid]);
    expect(await uuids('/api/v1/messages/')).toContain(message);
    expect(await uuids(`/api/v1/messages/?room=${kept.room.uuid}`)).toEqual([]);
    expect(await uuids('/api/v1/leads/')).toEqual([lead]);
    expect(await uuids('/api/v1/widgets/')).toEqual([ofWidget]);
    for (const group of ['user', 'day', 'widget']) {
      const { total, results } = await listed(`/api/v1/leads/stats/?group_by=${group}`);
      const sum = results.reduce((all: number, one: { total: number }) => all + one.total, 0);
      expect([total, sum]).toEqual([1, 1]);
    }
  });
});
