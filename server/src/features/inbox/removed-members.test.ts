import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { conversationsOf } from '../../../test/inbox.ts';
import { PASSWORD, testMembers } from '../../../test/members.ts';

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
  onTestFinished(() => {
    const { calls } = spy.mock;
    spy.mockRestore();
    expect(calls, `${method} is called`).not.toEqual([]);
  });
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

it('the conversations of years are released behind the answer, in turns, and what is done keeps its place', async () => {
  const leaver = await people.member(token, 'operator');
  const { uuid } = await visit(widget, token);
  const { inbox, releases } = app.services.models;
  const like = await inbox.findById(uuid).lean();
  const updated_at = like?.updated_at as Date;
  const theirs = Array.from({ length: 60 }, (_, n) => ({
    ...like,
    _id: randomUUID(),
    label: `${leaver.uuid} ${n}`,
    assignee: leaver.uuid,
    unread: [leaver.uuid],
    status: n % 2 ? 'done' : 'open',
    updated_at,
  }));
  await inbox.collection.insertMany(theirs as never);
  // As slow as a busy database: all of them would take seconds.
  const own = inbox.collection.findOneAndUpdate.bind(inbox.collection) as (
    ...given: unknown[]
  ) => Promise<unknown>;
  const spy = vi.spyOn(inbox.collection, 'findOneAndUpdate').mockImplementation((async (
    ...given: unknown[]
  ) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return own(...given);
  }) as never);
  onTestFinished(() => spy.mockRestore());
  await people.remove(token, leaver.uuid);
  expect(await releases.countDocuments({ _id: leaver.uuid })).toBe(1);
  spy.mockRestore();
  await expect.poll(() => releases.countDocuments({ _id: leaver.uuid }), { timeout: 30_000 }).toBe(0);
  const left = await inbox.find({ _id: { $in: theirs.map(({ _id }) => _id) } }).lean();
  expect(left.filter(({ assignee, unread }) => assignee !== null || unread.length > 0)).toEqual([]);
  for (const { status, updated_at: at } of left) expect(at > updated_at).toBe(status === 'open');
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

/** Who has yet to read a conversation. */
const unreadBy = async (uuid: string) => (await app.services.models.inbox.findById(uuid).lean())?.unread;

it('nothing is unread for it any more', async () => {
  const leaver = await people.member(token, 'operator');
  const { uuid } = await visit(widget, token);
  await expect.poll(() => unreadBy(uuid)).toContain(leaver.uuid);
  await people.remove(token, leaver.uuid);
  expect(await unreadBy(uuid)).not.toContain(leaver.uuid);
});

it.each(['PATCH', 'bulk'])('a conversation that it marks as unread by %s is that for nobody', async (way) => {
  const { uuid } = await visit(widget, token);
  const leaver = await people.member(token, 'operator');
  removedBefore(app.services.models.inbox.collection, 'findOneAndUpdate', leaver.uuid);
  const body = { is_unread: true };
  const answer =
    way === 'PATCH'
      ? await call('PATCH', `${uuid}/`, leaver.token, { body })
      : await call('POST', 'bulk/', leaver.token, { body: { uuids: [uuid], ...body } });
  expect(answer.status).toBe(200);
  expect(await unreadBy(uuid)).not.toContain(leaver.uuid);
});

it('a note that mentions it gives it nothing to read', async () => {
  const { uuid } = await visit(widget, token);
  const [leaver, witness] = [await people.member(token, 'operator'), await people.member(token, 'operator')];
  removedBefore(app.services.models.inbox.collection, 'findOneAndUpdate', leaver.uuid);
  const body = { body: `@${leaver.username} @${witness.username} look` };
  expect((await call('POST', `${uuid}/notes/`, token, { body })).status).toBe(201);
  await expect.poll(() => unreadBy(uuid)).toContain(witness.uuid);
  await expect.poll(() => unreadBy(uuid)).not.toContain(leaver.uuid);
});

it('a browser that it signs in with is forgotten', async () => {
  const leaver = await people.member(token, 'operator');
  const { memberSessions } = app.services.models;
  removedBefore(memberSessions.collection, 'insertOne', leaver.uuid);
  const body = { username: leaver.username, password: PASSWORD };
  await app.request('POST', '/api/v1/auth/session', { body });
  expect(await memberSessions.countDocuments({ member: leaver.uuid })).toBe(0);
});

it('a link to a new password that is made for it is gone, as are those of before', async () => {
  const leaver = await people.member(token, 'operator');
  const { passwordResets, members } = app.services;
  const resets = app.services.models.passwordResets;
  const member = await members.byUsername(leaver.username);
  if (!member) throw new Error('nobody has that username');
  await passwordResets.issue(member, 'first');
  removedBefore(resets.collection, 'updateOne', leaver.uuid);
  await passwordResets.issue(member, 'second');
  expect(await resets.countDocuments({ member: leaver.uuid })).toBe(0);
});

it('a token for programs that it makes is gone, and takes no place of others', async () => {
  const leaver = await people.member(token, 'operator');
  const { tokens } = app.services.models;
  removedBefore(tokens.collection, 'insertOne', leaver.uuid);
  const body = { name: 'Import', scopes: ['conversations:read'], expires_at: null };
  await app.request('POST', '/api/v1/tokens/', { token: leaver.token, body });
  expect(await tokens.countDocuments({ member: leaver.uuid })).toBe(0);
});

it.each([
  ['is removed', 401, [10, 0]],
  ['sees the widget no more', 200, [10, 0]],
  ['becomes an admin', 200, [10, 10]],
] as const)(
  'a bulk change goes as far as one may who %s in the middle of it',
  async (what, status, counts) => {
    const visits = await Promise.all(Array.from({ length: 20 }, () => visit(widget, token)));
    const uuids = visits.map(({ uuid }) => uuid);
    const leaver = await people.member(token, 'operator');
    const path = `/api/v1/members/${leaver.uuid}/`;
    const meanwhile: Record<string, () => Promise<{ status: number }>> = {
      'is removed': () => app.request('DELETE', path, { token }),
      'sees the widget no more': () => app.request('PATCH', path, { token, body: { widgets: [] } }),
      'becomes an admin': () => app.request('PATCH', path, { token, body: { role: 'admin' } }),
    };
    const { collection } = app.services.models.inbox;
    const write = collection.findOneAndUpdate.bind(collection) as (...given: unknown[]) => Promise<unknown>;
    const spy = vi.spyOn(collection, 'findOneAndUpdate').mockImplementationOnce((async (
      ...given: unknown[]
    ) => {
      expect((await meanwhile[what]?.())?.status).toBeLessThan(300);
      return write(...given);
    }) as never);
    onTestFinished(() => spy.mockRestore());
    const answer = await call('POST', 'bulk/', leaver.token, { body: { uuids, add_tags: [what] } });
    expect(answer.status).toBe(status);
    const tagged = await app.services.models.inbox.find({ tags: what }, { _id: 1 }).lean();
    const changed = tagged.map(({ _id }) => _id);
    const halves = [uuids.slice(0, 10), uuids.slice(10)];
    expect(halves.map((half) => half.filter((uuid) => changed.includes(uuid)).length)).toEqual(counts);
    if (status === 200) expect(answer.json.missing).toEqual(uuids.filter((uuid) => !changed.includes(uuid)));
  },
);
