import { beforeAll, expect, it, vi } from 'vitest';
import { testApp } from '../../../../test/app.ts';
import { conversationsOf } from '../../../../test/inbox.ts';
import { testMembers } from '../../../../test/members.ts';

const app = testApp();
const people = testMembers(app);
const { call, visit } = conversationsOf(app);

let token = '';
let widget = '';
let grace: Awaited<ReturnType<typeof people.member>>;

beforeAll(async () => {
  ({ token, widget } = await app.account());
  grace = await people.member(token, 'operator', { name: 'Grace' });
});

const read = async (uuid: string, query = '', as = token) =>
  (await call('GET', `${uuid}/timeline/${query}`, as)).json;
const patch = (uuid: string, body: object, as = token) => call('PATCH', `${uuid}/`, as, { body });
const note = (uuid: string, body: string) => call('POST', `${uuid}/notes/`, token, { body: { body } });

/** Its events, once there are `count`. */
const eventsOf = async (uuid: string, count: number) => {
  const events = async () => (await read(uuid)).filter(({ kind }: { kind: string }) => kind === 'event');
  await vi.waitFor(async () => expect(await events()).toHaveLength(count), { timeout: 60_000 });
  return events();
};

it('has messages, notes and events in one order, newest first', async () => {
  const { uuid, say } = await visit(widget, token);
  await note(uuid, 'Is it in stock?');
  await patch(uuid, { assignee: grace.uuid, tags: ['vip'] }, grace.token);
  await say('Hello?');
  await eventsOf(uuid, 1);
  const all = await read(uuid);
  expect(all.map(({ kind }: { kind: string }) => kind)).toEqual(['message', 'event', 'note', 'message']);
  const [said, event, noted] = all;
  expect(said).toMatchObject({ body: 'Hello?', at: said.sent_at, is_support_sender: false });
  expect(noted).toMatchObject({ body: 'Is it in stock?', at: noted.created_at, author: null });
  expect(event).toEqual({
    kind: 'event',
    at: expect.any(String),
    uuid: expect.any(String),
    by: { uuid: grace.uuid, name: 'Grace' },
    changes: [
      { field: 'assignee', from: null, to: grace.uuid },
      { field: 'tags', added: ['vip'], removed: [] },
    ],
  });
});

it('has an event as soon as its change is stored, and once, however long its announcement takes', async () => {
  const { conversationEvents } = app.services.models;
  const { uuid } = await visit(widget, token);
  // As where the process that stored the changes was killed, until another one finds their events.
  const lost = vi.spyOn(app.services.relay, 'announce').mockImplementation(() => {});
  for (let n = 1; n <= 5; n++) {
    await patch(uuid, { tags: [`tag ${n}`] }, grace.token);
    const [newest, ...older] = await read(uuid);
    expect(newest).toMatchObject({ kind: 'event', changes: [{ field: 'tags', added: [`tag ${n}`] }] });
    expect(older).toHaveLength(n);
    const around = await read(uuid, `?limit=3&around=${newest.uuid}`);
    expect(around).toEqual([newest, ...older].slice(0, 3));
  }
  lost.mockRestore();
  const before = await read(uuid);
  const recorded = () => conversationEvents.countDocuments({ room: uuid });
  await vi.waitFor(async () => expect(await recorded()).toBe(5), { timeout: 60_000, interval: 5 });
  expect(await read(uuid)).toEqual(before);
});

it('says what was done, by whom, and to what', async () => {
  const { uuid, label, visitor, say } = await visit(widget, token);
  await patch(uuid, { tags: ['a', 'b'] });
  await patch(uuid, { tags: ['b', 'c'] });
  await patch(uuid, { status: 'done' }, grace.token);
  await say('One more thing');
  await eventsOf(uuid, 4);
  await app.request('PATCH', `/api/v1/rooms/${label}/`, { visitor, body: { rating: 4 } });
  await expect.poll(async () => (await read(uuid))[0].changes?.[0].field).toBe('rating');
  await app.request('PATCH', `/api/v1/rooms/${label}/`, { token, body: { is_bot_use: true } });
  await expect.poll(async () => (await read(uuid))[0].changes?.[0].field).toBe('is_bot_use');
  const events = (await read(uuid)).filter(({ kind }: { kind: string }) => kind === 'event').reverse();
  expect(events.map(({ changes }: any) => changes).slice(0, 4)).toEqual([
    [{ field: 'tags', added: ['a', 'b'], removed: [] }],
    [{ field: 'tags', added: ['c'], removed: ['a'] }],
    [{ field: 'status', from: 'open', to: 'done', snoozed_until: null }],
    [{ field: 'status', from: 'done', to: 'open', snoozed_until: null }],
  ]);
  expect(events.map(({ by }: any) => by?.uuid).slice(0, 4)).toEqual([
    undefined,
    undefined,
    grace.uuid,
    undefined,
  ]);
  expect(events.slice(-2).map(({ changes }: any) => changes)).toEqual([
    [{ field: 'rating', to: 4 }],
    [{ field: 'is_bot_use', to: true }],
  ]);
});

it('has each event once, however often it is told', async () => {
  const { uuid } = await visit(widget, token);
  await patch(uuid, { status: 'done' });
  const [event] = await eventsOf(uuid, 1);
  const { realtimeEntries } = app.services.models;
  const told = await realtimeEntries.findOne({ event: event.uuid }).lean();
  const again = { ...told, id: event.uuid, at: new Date(event.at) };
  for (let n = 0; n < 3; n++) await app.services.recordEvents([again as never, again as never]);
  expect(await eventsOf(uuid, 1)).toEqual([event]);
});

it('pages back without a gap or a double, also where all are of one moment', async () => {
  const { uuid, say } = await visit(widget, token);
  for (let n = 0; n < 5; n++) {
    await say(`message ${n}`);
    await note(uuid, `note ${n}`);
    await patch(uuid, { tags: [`tag ${n}`] });
  }
  const { inbox, messages, notes, conversationEvents } = app.services.models;
  const hasEvents = () => inbox.exists({ _id: uuid, 'events.0': { $exists: true } });
  await vi.waitFor(async () => expect(await hasEvents()).toBeNull(), { timeout: 60_000 });
  const paged = async (limit: number) => {
    const found: any[] = [];
    for (let path = `/api/v1/conversations/${uuid}/timeline/?limit=${limit}`; path !== ''; ) {
      const page = await app.request('GET', path, { token });
      expect(page.json.length).toBeLessThanOrEqual(limit);
      found.push(...page.json);
      path = /<https?:..[^/]+([^>]+)>/.exec(page.headers.link ?? '')?.[1] ?? '';
    }
    return found;
  };
  const all = await read(uuid, '?limit=200');
  expect(all).toHaveLength(16);
  expect(await paged(3)).toEqual(all);
  const at = new Date();
  await messages.updateMany({ room: uuid }, { $set: { sent_at: at } });
  await notes.updateMany({ room: uuid }, { $set: { created_at: at } });
  await conversationEvents.updateMany({ room: uuid }, { $set: { at } });
  const uuids = (await paged(3)).map((one) => one.uuid);
  expect(uuids).toEqual(
    all
      .map((one: any) => one.uuid)
      .sort()
      .reverse(),
  );
});

it('ends a page at 2 MiB', async () => {
  const { uuid } = await visit(widget, token);
  const body = '\u{1f600}'.repeat(10_000);
  for (let n = 0; n < 60; n++) await note(uuid, body);
  const page = await call('GET', `${uuid}/timeline/?limit=200`, token);
  expect(page.text.length).toBeLessThan(2 * 1024 * 1024);
  expect(page.json.length).toBeLessThan(60);
  expect(page.headers.link).toContain('rel="next"');
});

it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'limit=1&limit=2'])('refuses %s', async (query) => {
  const { uuid } = await visit(widget, token);
  expect((await call('GET', `${uuid}/timeline/?${query}`, token)).status).toBe(400);
});

it('is nobody’s who does not see the conversation, and no visitor’s', async () => {
  const { uuid, visitor } = await visit(widget, token);
  const restricted = await people.member(token, 'operator', { widgets: [] });
  for (const as of [restricted.token, (await app.account()).token]) {
    expect((await call('GET', `${uuid}/timeline/`, as)).status).toBe(404);
  }
  const path = `/api/v1/conversations/${uuid}/timeline/`;
  expect((await app.request('GET', path, { visitor })).status).toBe(403);
});

it('is gone with its room, also what is told of it only then', async () => {
  const { conversationEvents, realtimeEntries } = app.services.models;
  const { uuid, label } = await visit(widget, token);
  await patch(uuid, { tags: ['a'] });
  const [event] = await eventsOf(uuid, 1);
  const told = await realtimeEntries.findOne({ event: event.uuid }).lean();
  await app.request('DELETE', `/api/v1/rooms/${label}/`, { token });
  await app.services.recordEvents([{ ...told, id: event.uuid } as never]);
  expect(await conversationEvents.countDocuments({ room: uuid })).toBe(0);
});
