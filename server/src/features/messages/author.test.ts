import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';

const app = testApp();
const { member } = testMembers(app);
let token = '';
let room = { uuid: '', label: '' };
beforeAll(async () => {
  token = (await app.account()).token;
  room = (await app.request('POST', '/api/v1/rooms/', { token })).json;
});

const say = async (by: string, fields: object = {}) => {
  const body = { body: 'Hello', room: { uuid: room.uuid }, is_support_sender: true, ...fields };
  return (await app.request('POST', '/api/v1/messages/', { token: by, body })).json;
};
const stored = async (uuid: string) =>
  (await app.request('GET', `/api/v1/messages/${uuid}/`, { token })).json;

it('is the member who wrote as support, by the name that it had then', async () => {
  const grace = await member(token, 'operator');
  await app.request('PATCH', '/api/v1/members/me/', { token: grace.token, body: { name: 'Grace' } });
  const created = await say(grace.token);
  expect(created).toMatchObject({ nickname: 'Grace' });
  // The create answer keeps its six fields.
  expect(Object.keys(created)).toHaveLength(6);
  await app.request('PATCH', '/api/v1/members/me/', { token: grace.token, body: { name: 'Ada' } });
  const author = { uuid: grace.uuid, name: 'Grace', avatar: null };
  expect(await stored(created.uuid)).toMatchObject({ author, nickname: 'Grace' });
  const [listed] = (await app.request('GET', `/api/v1/messages/?room=${room.uuid}`, { token })).json;
  expect(listed.author).toEqual(author);
  const { messages } = (await app.request('GET', `/api/v1/rooms/${room.label}/`, { token })).json;
  expect(messages.at(-1).author).toEqual(author);
  const document = await app.services.models.messages.findOne({ _id: created.uuid }).lean();
  expect(document?.author).toEqual({ uuid: grace.uuid, name: 'Grace' });
});

it('keeps a nickname that was given, and never shows a username', async () => {
  const nameless = await member(token, 'operator');
  const { uuid } = await say(nameless.token, { nickname: 'Support' });
  expect(await stored(uuid)).toMatchObject({
    nickname: 'Support',
    author: { uuid: nameless.uuid, name: '' },
  });
  expect(await say(nameless.token)).toMatchObject({ nickname: '' });
});

it("is nobody for a visitor's words, a program's, the account's token and one that a caller makes up", async () => {
  const author = { uuid: room.uuid, name: 'Somebody' };
  const asVisitor = await say(token, { is_support_sender: false, author });
  expect(await stored(asVisitor.uuid)).not.toHaveProperty('author');
  const program = await app.request('POST', '/api/v1/tokens/', {
    token,
    body: { name: 'sync', scopes: ['conversations:write', 'conversations:read'] },
  });
  const byAccount = await say(token, { author });
  expect(await stored(byAccount.uuid)).not.toHaveProperty('author');
  const byProgram = await say(program.json.token, { author });
  expect(byProgram.uuid).toBeTypeOf('string');
  expect(await stored(byProgram.uuid)).not.toHaveProperty('author');
});
