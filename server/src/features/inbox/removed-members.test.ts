import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { conversationsOf } from '../../../test/inbox.ts';
import { testMembers } from '../../../test/members.ts';

/** Nothing is left to a member who is removed in the middle of a request. */

const app = testApp();
const people = testMembers(app);
const { call, visit } = conversationsOf(app);

let token = '';
let widget = '';

beforeAll(async () => {
  ({ token, widget } = await app.account());
});

/** Removes a member when a collection is about to be written. */
const removedBefore = (collection: object, method: string, uuid: string): void => {
  const target = collection as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const write = target[method]?.bind(collection);
  const spy = vi.spyOn(target, method).mockImplementationOnce(async (...args) => {
    const removed = await app.request('DELETE', `/api/v1/members/${uuid}/`, { token });
    expect(removed.status).toBe(204);
    return write?.(...args);
  });
  onTestFinished(() => spy.mockRestore());
};

it.each(['PATCH', 'bulk'])('a conversation that %s gives to it is nobody’s', async (way) => {
  const { uuid } = await visit(widget, token);
  const leaver = await people.member(token, 'operator');
  removedBefore(app.services.models.inbox.collection, 'findOneAndUpdate', leaver.uuid);
  const assignee = leaver.uuid;
  const answer =
    way === 'PATCH'
      ? await call('PATCH', `${uuid}/`, token, { body: { assignee } })
      : await call('POST', 'bulk/', token, { body: { uuids: [uuid], assignee } });
  expect(answer.status).toBe(200);
  expect((await call('GET', `${uuid}/`, token)).json.assignee).toBeNull();
});

it('a draft of it is gone', async () => {
  const { uuid } = await visit(widget, token);
  const leaver = await people.member(token, 'operator');
  const { drafts } = app.services.models;
  removedBefore(drafts.collection, 'insertOne', leaver.uuid);
  await call('PUT', `${uuid}/draft/`, leaver.token, { body: { body: 'Mine' } });
  expect(await drafts.countDocuments({ room: uuid })).toBe(0);
});

it.each(['POST', 'PATCH'])('a saved reply that %s gives to it assigns nobody', async (method) => {
  const leaver = await people.member(token, 'operator');
  const replies = app.services.models.replies.collection;
  const saved = { name: method, shortcut: method, body: 'Hello' };
  const post = (assignee: string | null) =>
    app.request('POST', '/api/v1/replies/', { token, body: { ...saved, assignee } });
  const { uuid } = method === 'PATCH' ? (await post(null)).json : {};
  removedBefore(replies, uuid ? 'findOneAndUpdate' : 'insertOne', leaver.uuid);
  const answer = uuid
    ? await app.request('PATCH', `/api/v1/replies/${uuid}/`, { token, body: { assignee: leaver.uuid } })
    : await post(leaver.uuid);
  expect([answer.status, answer.json.assignee]).toEqual([uuid ? 200 : 201, null]);
  const { json } = await app.request('GET', `/api/v1/replies/${answer.json.uuid}/`, { token });
  expect(json.assignee).toBeNull();
});

it('a token for programs that it makes is gone, and takes no place of others', async () => {
  const leaver = await people.member(token, 'operator');
  const { tokens } = app.services.models;
  removedBefore(tokens.collection, 'insertOne', leaver.uuid);
  const body = { name: 'Import', scopes: ['conversations:read'], expires_at: null };
  await app.request('POST', '/api/v1/tokens/', { token: leaver.token, body });
  expect(await tokens.countDocuments({ member: leaver.uuid })).toBe(0);
});
