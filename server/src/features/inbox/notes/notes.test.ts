import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../../test/app.ts';
import { conversationsOf, HARMLESS_TEXTS, REFUSED_TEXTS } from '../../../../test/inbox.ts';
import { testMembers } from '../../../../test/members.ts';

const app = testApp();
const people = testMembers(app);
const { call, visit } = conversationsOf(app);

let token = '';
let widget = '';
let grace: Awaited<ReturnType<typeof people.member>>;
let ada: Awaited<ReturnType<typeof people.member>>;

beforeAll(async () => {
  ({ token, widget } = await app.account());
  grace = await people.member(token, 'operator', { name: 'Grace' });
  ada = await people.member(token, 'admin', { name: 'Ada' });
});

const note = (uuid: string, body: unknown, as = token, headers = {}) =>
  call('POST', `${uuid}/notes/`, as, { body: { body }, headers });
const usernameOf = async (as: string): Promise<string> =>
  (await app.request('GET', '/api/v1/members/me/', { token: as })).json.username;
const isUnread = async (uuid: string, as: string) => (await call('GET', `${uuid}/`, as)).json.is_unread;

it('is written, changed and deleted by its author; owners and admins may delete it', async () => {
  const { uuid } = await visit(widget, token);
  const made = await note(uuid, 'Is it in stock?', grace.token);
  expect([made.status, made.json]).toEqual([
    201,
    {
      uuid: expect.any(String),
      body: 'Is it in stock?',
      author: { uuid: grace.uuid, name: 'Grace', avatar: null },
      mentions: [],
      created_at: expect.any(String),
      edited_at: null,
    },
  ]);
  const path = `${uuid}/notes/${made.json.uuid}/`;
  expect(made.headers.location).toContain(path);
  expect((await call('GET', path, ada.token)).json).toEqual(made.json);
  const changed = await call('PATCH', path, grace.token, { body: { body: 'It is.' } });
  expect(changed.json).toMatchObject({ body: 'It is.', edited_at: expect.any(String) });
  const same = await call('PATCH', path, grace.token, { body: { body: 'It is.' } });
  expect(same.json).toEqual(changed.json);
  const refused = await call('PATCH', path, ada.token, { body: { body: 'No' } });
  expect([refused.status, refused.json]).toEqual([403, { detail: 'Only its author may change a note.' }]);
  const linus = await people.member(token, 'operator');
  expect((await call('DELETE', path, linus.token)).status).toBe(403);
  expect((await call('DELETE', path, ada.token)).status).toBe(204);
  expect((await call('GET', path, token)).status).toBe(404);
  const own = (await note(uuid, 'Mine', linus.token)).json;
  expect((await call('DELETE', `${uuid}/notes/${own.uuid}/`, linus.token)).status).toBe(204);
});

it('has no author where a program writes it, or the account’s own token', async () => {
  const { uuid } = await visit(widget, token);
  const body = { name: 'sync', scopes: ['conversations:write'] };
  const program = (await app.request('POST', '/api/v1/tokens/', { token: grace.token, body })).json.token;
  for (const as of [program, token]) {
    const { status, json } = await note(uuid, 'From the shop', as);
    expect([status, json.author]).toEqual([201, null]);
    const change = { body: { body: 'Changed' } };
    expect((await call('PATCH', `${uuid}/notes/${json.uuid}/`, as, change)).status).toBe(200);
  }
  const readers = { name: 'reader', scopes: ['conversations:read'] };
  const reader = (await app.request('POST', '/api/v1/tokens/', { token, body: readers })).json.token;
  expect((await note(uuid, 'No', reader)).status).toBe(403);
});

it.each(HARMLESS_TEXTS)('answers %s as it was sent', async (_, body) => {
  const { uuid } = await visit(widget, token);
  const made = await note(uuid, body);
  expect((await call('GET', `${uuid}/notes/${made.json.uuid}/`, token)).json.body).toBe(body);
});

it.each([...REFUSED_TEXTS, [' ', 'This field may not be blank.'], [null, 'This field may not be null.']])(
  'refuses %j',
  async (body, message) => {
    const { uuid } = await visit(widget, token);
    const refused = await note(uuid, body);
    expect([refused.status, refused.json]).toEqual([400, { body: [message] }]);
  },
);

it('is made once by an Idempotency-Key, and holds If-Match', async () => {
  const { uuid } = await visit(widget, token);
  const key = { 'idempotency-key': uuid };
  const answers = await Promise.all([1, 2, 3].map(() => note(uuid, 'Once', token, key)));
  expect(new Set(answers.map(({ json }) => json.uuid)).size).toBe(1);
  const path = `${uuid}/notes/${answers[0]?.json.uuid}/`;
  const { headers } = await call('GET', path, token);
  const matching = { 'if-match': headers.etag ?? '' };
  const changes = ['a', 'b'].map((body) => call('PATCH', path, token, { body: { body }, headers: matching }));
  expect((await Promise.all(changes)).map(({ status }) => status).sort()).toEqual([200, 412]);
  expect((await call('DELETE', path, token, { headers: matching })).status).toBe(412);
});

describe('a mention', () => {
  it('gives the conversation as unread to whom it names, and to nobody else', async () => {
    const { uuid } = await visit(widget, token);
    const all = [token, grace.token, ada.token];
    for (const as of all) await call('PATCH', `${uuid}/`, as, { body: { is_unread: false } });
    const name = await usernameOf(grace.token);
    const { json } = await note(uuid, `Ask @${name.toUpperCase()}. Or mail@${name}, or @nobody!`, ada.token);
    expect(json.mentions).toEqual([grace.uuid]);
    await expect.poll(() => isUnread(uuid, grace.token)).toBe(true);
    expect([await isUnread(uuid, token), await isUnread(uuid, ada.token)]).toEqual([false, false]);
    // Whoever was mentioned before is not told again by a change.
    await call('PATCH', `${uuid}/`, grace.token, { body: { is_unread: false } });
    const other = await usernameOf(token);
    const body = { body: `@${name} and @${other}` };
    const changed = await call('PATCH', `${uuid}/notes/${json.uuid}/`, ada.token, { body });
    expect(changed.json.mentions).toHaveLength(2);
    await expect.poll(() => isUnread(uuid, token)).toBe(true);
    expect(await isUnread(uuid, grace.token)).toBe(false);
  });

  it('is none of its author, of a colleague who does not see it, and of another account', async () => {
    const { uuid } = await visit(widget, token);
    const own = await usernameOf(ada.token);
    await call('PATCH', `${uuid}/`, ada.token, { body: { is_unread: false } });
    expect((await note(uuid, `@${own}`, ada.token)).json.mentions).toEqual([ada.uuid]);
    const restricted = await people.member(token, 'operator', { widgets: [] });
    const stranger = await app.account();
    const hidden = await usernameOf(restricted.token);
    const { json } = await note(uuid, `@${hidden} @${stranger.username} @${await usernameOf(grace.token)}`);
    expect(json.mentions).toEqual([grace.uuid]);
    const unread = async () => (await app.services.models.inbox.findOne({ _id: uuid }).lean())?.unread;
    await expect.poll(unread).toContain(grace.uuid);
    expect(await unread()).not.toContain(restricted.uuid);
    expect(await isUnread(uuid, ada.token)).toBe(false);
  });

  it('takes no longer for a text that is all @', async () => {
    const { uuid } = await visit(widget, token);
    for (const piece of ['@', ' @', '@a ', ' @....', '@a@a', '\u{1f600}@']) {
      const body = piece.repeat(Math.floor(10_000 / [...piece].length));
      expect((await note(uuid, body)).json.mentions).toEqual([]);
    }
  });
});

describe('who sees it', () => {
  it('is nobody who does not see the conversation', async () => {
    const { uuid, visitor } = await visit(widget, token);
    const { json } = await note(uuid, 'Do not tell');
    const restricted = await people.member(token, 'operator', { widgets: [] });
    const stranger = (await app.account()).token;
    const path = `${uuid}/notes/${json.uuid}/`;
    const change = { body: { body: 'Mine' } };
    for (const as of [restricted.token, stranger]) {
      expect((await note(uuid, 'Hi', as)).status).toBe(404);
      expect((await call('GET', path, as)).status).toBe(404);
      expect((await call('PATCH', path, as, change)).status).toBe(404);
      expect((await call('DELETE', path, as)).status).toBe(404);
    }
    // Nor by way of a conversation that one does see.
    const other = await visit(widget, token);
    expect((await call('GET', `${other.uuid}/notes/${json.uuid}/`, token)).status).toBe(404);
    for (const query of ['', `?room=${uuid}`]) {
      const { text } = await app.request('GET', `/api/v1/messages/${query}`, { visitor });
      expect(text).not.toContain('Do not tell');
    }
    const asVisitor = await app.request('POST', `/api/v1/conversations/${uuid}/notes/`, {
      visitor,
      body: { body: 'Hi' },
    });
    expect(asVisitor.status).toBe(403);
    const rooms = await app.request('GET', '/api/v1/rooms/?messages_limit=500', { token });
    expect(rooms.text).not.toContain('Do not tell');
    expect((await app.request('GET', '/api/v1/messages/', { token })).text).not.toContain('Do not tell');
  });

  it('is not whoever lost sight of it, by a key of before', async () => {
    const { uuid } = await visit(widget, token);
    const leaving = await people.member(token, 'operator');
    const key = { 'idempotency-key': 'kept' };
    expect((await note(uuid, 'Kept', leaving.token, key)).status).toBe(201);
    await app.request('PATCH', `/api/v1/members/${leaving.uuid}/`, { token, body: { widgets: [] } });
    expect((await note(uuid, 'Kept', leaving.token, key)).status).toBe(404);
  });
});

it('is gone with its room, and with what its visitor erases', async () => {
  const { models } = app.services;
  const left = (uuid: string) =>
    Promise.all([
      models.notes.countDocuments({ room: uuid }),
      // Whoever was away has to learn that the room is gone.
      models.realtimeEntries.countDocuments({ room: uuid, name: { $ne: 'room.deleted' } }),
      models.idempotency.countDocuments({ subject: uuid }),
    ]);
  const one = await visit(widget, token);
  const other = await visit(widget, token);
  for (const { uuid } of [one, other]) {
    const made = await note(uuid, 'About a visitor', token, { 'idempotency-key': uuid });
    await call('PATCH', `${uuid}/notes/${made.json.uuid}/`, token, { body: { body: 'Again' } });
    const untold = () => models.notes.countDocuments({ room: uuid, events: { $exists: true } });
    await expect.poll(untold).toBe(0);
    expect(await left(uuid)).toEqual([1, expect.any(Number), 1]);
  }
  await app.request('DELETE', `/api/v1/rooms/${one.label}/`, { token });
  const erase = { visitor: other.visitor };
  expect((await app.request('DELETE', `/api/v1/widgets/${widget}/sessions/`, erase)).status).toBe(204);
  for (const { uuid } of [one, other]) {
    expect(await left(uuid)).toEqual([0, 0, 0]);
    expect((await note(uuid, 'Too late')).status).toBe(404);
  }
});
