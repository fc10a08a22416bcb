import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../../test/app.ts';
import { conversationsOf } from '../../../../test/inbox.ts';
import { testMembers } from '../../../../test/members.ts';
import { png } from '../../../../test/pictures.ts';

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL });
const { member } = testMembers(app);
const { call, visit } = conversationsOf(app);

let owner = { token: '', widget: '', id: '' };
let grace = { uuid: '', token: '' };
let room: Awaited<ReturnType<typeof visit>>;
beforeAll(async () => {
  owner = await app.account();
  grace = await member(owner.token, 'operator', { name: 'Grace' });
});

const OWN = '/api/v1/members/me/avatar/';
const setPicture = async (): Promise<string> =>
  (await app.request('PUT', OWN, { token: grace.token, body: png() })).json.avatar;
const answer = async (body: string) => {
  const message = { body, room: { uuid: room.uuid }, is_support_sender: true };
  return app.request('POST', '/api/v1/messages/', { token: grace.token, body: message });
};

/** The author of a message, wherever it is read. */
const shownTo = async (uuid: string) => {
  const get = async (path: string, as: object = { token: owner.token }) =>
    (await app.request('GET', path, as)).json;
  const of = (list: { uuid: string }[]) => list.find((one) => one.uuid === uuid) as { author?: object };
  return [
    of(await get('/api/v1/messages/')),
    of(await get(`/api/v1/messages/?room=${room.uuid}`)),
    of(await get('/api/v1/messages/', { visitor: room.visitor })),
    await get(`/api/v1/messages/${uuid}/`),
    of((await get('/api/v1/rooms/'))[0].messages),
    of((await get(`/api/v1/rooms/${room.label}/`)).messages),
    of(await get(`/api/v1/conversations/${room.uuid}/timeline/`)),
    (await get(`/api/v1/conversations/${room.uuid}/`)).last_message,
    (await get('/api/v1/conversations/'))[0].last_message,
  ].map(({ author }) => author);
};

/** What is told of an object, live and to webhooks. */
const toldOf = async (uuid: string, event: string): Promise<object> => {
  const find = () =>
    app.services.models.realtimeEntries.findOne({ name: event, 'data.uuid': uuid } as object).lean();
  await expect.poll(find).toBeTruthy();
  return (await find())?.data as object;
};

it('is shown with the picture that the member has now, in all that it has written', async () => {
  room = await visit(owner.widget, owner.token);
  const { json, status } = await answer('We do.');
  expect([status, Object.keys(json).length]).toEqual([201, 6]);
  const author = { uuid: grace.uuid, name: 'Grace' };
  const isLast = async () => (await call('GET', `${room.uuid}/`, owner.token)).json.last_message.uuid;
  await expect.poll(isLast).toBe(json.uuid);
  for (const shown of await shownTo(json.uuid)) expect(shown).toEqual({ ...author, avatar: null });
  for (let n = 0; n < 2; n++) {
    const avatar = await setPicture();
    for (const shown of await shownTo(json.uuid)) expect(shown).toEqual({ ...author, avatar });
  }
  // It is kept in none of them.
  const message = await app.services.models.messages.findOne({ _id: json.uuid }).lean();
  expect(message?.author).toEqual(author);
  await app.request('DELETE', OWN, { token: grace.token });
  for (const shown of await shownTo(json.uuid)) expect(shown).toEqual({ ...author, avatar: null });
});

it('is told of with the picture of that moment, which may be gone', async () => {
  const avatar = await setPicture();
  const author = { uuid: grace.uuid, name: 'Grace', avatar };
  const { uuid } = (await answer('On Sundays, too.')).json;
  const note = (await call('POST', `${room.uuid}/notes/`, grace.token, { body: { body: 'A note' } })).json;
  expect(note.author).toEqual(author);
  await app.request('DELETE', OWN, { token: grace.token });
  expect(await toldOf(uuid, 'message.added')).toMatchObject({ author });
  expect(await toldOf(note.uuid, 'note.added')).toMatchObject({ author });
});

it('changes no entity tag of what was written', async () => {
  const path = `${room.uuid}/notes/`;
  const made = await call('POST', path, grace.token, { body: { body: 'A note' } });
  const conversation = await call('GET', `${room.uuid}/`, owner.token);
  const avatar = await setPicture();
  const ifMatch = ({ headers }: { headers: { etag?: string } }) => ({ 'if-match': headers.etag ?? '' });
  const changed = await call('PATCH', `${path}${made.json.uuid}/`, grace.token, {
    body: { body: 'Another' },
    headers: ifMatch(made),
  });
  expect([changed.status, changed.json.author.avatar]).toEqual([200, avatar]);
  const shown = await call('GET', `${path}${made.json.uuid}/`, owner.token);
  expect(shown.json).toEqual(changed.json);
  const deleted = { headers: ifMatch(shown) };
  expect((await call('DELETE', `${path}${made.json.uuid}/`, grace.token, deleted)).status).toBe(204);
  const done = { body: { tags: ['a'] }, headers: ifMatch(conversation) };
  expect((await call('PATCH', `${room.uuid}/`, owner.token, done)).status).toBe(200);
  // What a client has kept of it is out of date all the same.
  const known = { headers: { 'if-none-match': conversation.headers.etag ?? '' } };
  expect((await call('GET', `${room.uuid}/`, owner.token, known)).status).toBe(200);
});

it('has none any more where it was removed', async () => {
  const avatar = await setPicture();
  const { uuid } = (await answer('The last one.')).json;
  expect((await shownTo(uuid))[0]).toMatchObject({ avatar });
  const removed = await app.request('DELETE', `/api/v1/members/${grace.uuid}/`, { token: owner.token });
  expect(removed.status).toBe(204);
  for (const shown of await shownTo(uuid))
    expect(shown).toEqual({ uuid: grace.uuid, name: 'Grace', avatar: null });
});
