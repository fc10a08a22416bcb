import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { makeFixtures } from '../../../test/fixtures.ts';
import { testMembers } from '../../../test/members.ts';
import type { ActiveMember } from '../members/member.ts';
import { EventIds } from '../realtime/event-ids.ts';
import { EventLog } from '../realtime/event-log.ts';
import { deleteAccount } from './account-data.ts';

const app = testApp();
const { accept, invite, linkOf, member, name, signIn } = testMembers(app);
const PASSWORD = 'a long enough secret';
const PATIENCE = { timeout: 60_000 };
const PATH = '/api/v1/account/delete/';

it('deletes everything of an account for its owner, and ends every credential before it answers', async () => {
  const fixtures = await makeFixtures(app);
  const { token, username } = fixtures;
  const { json: account } = await app.request('GET', '/api/v1/account/', { token });
  const other = await makeFixtures(app);
  const { json: member } = await app.request('GET', '/api/v1/members/me/', { token });
  expect(member).toMatchObject({ role: 'owner' });
  // A name in another case is the same name.
  const body = { username: username.toUpperCase(), password: PASSWORD };
  expect(await app.request('POST', PATH, { token, body })).toMatchObject({ status: 204 });

  expect(await app.request('GET', '/api/v1/rooms/', { token })).toMatchObject({ status: 401 });
  const signIn = await app.request('POST', '/api/v1/auth/api-token', {
    body: { username, password: PASSWORD },
  });
  expect(signIn.status).toBe(400);
  const { accounts, messages } = app.services.models;
  const left = () => documentsWith(app.services, new RegExp(`${account.uuid}|${username}`));
  await vi.waitFor(async () => {
    expect(await accounts.findOne({ _id: account.uuid }).lean()).toMatchObject({
      emptied_at: expect.any(Date),
    });
  }, PATIENCE);
  // What is counted in memory meanwhile is written when everything is gone, as is what a request has that was let in before.
  await sleep(1_500);
  await messages.collection.insertOne({ _id: 'late' as never, account: account.uuid });
  expect((await left()).join()).not.toContain(username);
  await app.services.accountDeletion.resume(new Date(Date.now() + 61_000));
  await vi.waitFor(async () => expect(await left()).toEqual([]), PATIENCE);
  expect(await app.request('GET', '/api/v1/rooms/', { token: other.token })).toMatchObject({ status: 200 });
});

it('begins with what sends something out', async () => {
  const { id } = await app.account();
  const order: string[] = [];
  await deleteAccount(app.services, id, (collection) => order.push(collection));
  expect([...new Set(order)].slice(0, 2)).toEqual(['webhooks', 'outgoingMails']);
  expect(order).toContain('deliveries');
});

it('leaves its places in the log of events to nobody else, also after a crash', async () => {
  const { token, id } = await app.account();
  const { json: room } = await app.request('POST', '/api/v1/rooms/', { token, body: {} });
  const body = { body: 'Hello', room: { uuid: room.uuid } };
  expect(await app.request('POST', '/api/v1/messages/', { token, body })).toMatchObject({ status: 201 });
  const { realtimeEntries: entries, realtimeHead: head } = app.services.models;
  await expect.poll(() => entries.countDocuments({ account: id, name: 'message.added' }), PATIENCE).toBe(1);
  const newest = await entries.findOne({ account: id }).sort({ _id: -1 }).lean();
  await deleteAccount(app.services, id);
  const next = await new EventLog(
    entries,
    head,
    new EventIds(app.services.secrets),
    () => undefined,
    true,
  ).open();
  expect(next.head).toBeGreaterThanOrEqual(newest?._id ?? Number.NaN);
});

it('no token opens anything from then on, also one that is made at that moment', async () => {
  const { token, id } = await app.account();
  const person = await member(token, 'admin');
  const { credentials, members, models } = app.services;
  await models.accounts.updateOne({ _id: id }, { $set: { deleted_at: new Date() } });
  const tokens = [token, person.token];
  for (const uuid of [id, person.uuid]) {
    const current = (await members.get(id, uuid)) as ActiveMember;
    tokens.push(await credentials.resetToken(current));
  }
  for (const one of tokens) {
    expect(await app.request('GET', '/api/v1/rooms/', { token: one })).toMatchObject({ status: 401 });
  }
  expect([...(await credentials.standings([id]))]).toEqual([]);
});

it.each([
  ['another username', { username: 'somebody', password: PASSWORD }, 'username'],
  ['a wrong password', { password: 'a wrong one, really' }, 'password'],
  ['no password', { password: '' }, 'password'],
])('deletes nothing with %s', async (_, wrong, field) => {
  const { token, username } = await makeFixtures(app);
  const { status, json } = await app.request('POST', PATH, { token, body: { username, ...wrong } });
  expect([status, Object.keys(json)]).toEqual([400, [field]]);
  expect(await app.request('GET', '/api/v1/rooms/', { token })).toMatchObject({ status: 200 });
});

it.each([
  ['is removed', 401],
  ['becomes an admin', 403],
  ['has another password', 400],
])('deletes nothing for an owner who %s while its password is looked at', async (what, status) => {
  const { token } = await app.account();
  const { uuid, username, token: own } = await member(token, 'owner');
  const { knownAddresses } = app.services.models;
  const update = knownAddresses.updateOne.bind(knownAddresses);
  // That it was right is written down before anything else is done.
  const spy = vi.spyOn(knownAddresses, 'updateOne').mockImplementationOnce((...given) => {
    const path = `/api/v1/members/${uuid}/`;
    const meanwhile: Record<string, () => Promise<unknown>> = {
      'is removed': () => app.request('DELETE', path, { token }),
      'becomes an admin': () => app.request('PATCH', path, { token, body: { role: 'admin' } }),
      'has another password': async () => {
        const current = (await app.services.members.byUsername(username)) as ActiveMember;
        await app.services.credentials.setPassword(current, 'quite another secret');
      },
    };
    return Promise.resolve(meanwhile[what]?.()).then(() => update(...given)) as never;
  });
  onTestFinished(() => spy.mockRestore());
  const answer = await app.request('POST', PATH, { token: own, body: { username, password: PASSWORD } });
  expect(answer.status).toBe(status);
  expect((await app.request('GET', '/api/v1/account/', { token })).status).toBe(200);
});

it('lets nobody in any more from the moment that it is written down', async () => {
  const { token, username, id } = await app.account();
  const operator = await member(token, 'operator');
  const link = linkOf(await invite(token, { role: 'owner' }));
  const { accounts } = app.services.models;
  await accounts.updateOne({ _id: id }, { $set: { deleted_at: new Date() } });
  const late = name();
  expect((await accept(link, late)).json).toEqual({
    token: ['This invitation is not good, has run out or was used.'],
  });
  for (const one of [username, operator.username, late]) {
    expect([one, (await signIn(one)).status]).toEqual([one, 400]);
    const body = { username: one, password: PASSWORD };
    const session = await app.request('POST', '/api/v1/auth/session', { body });
    expect([one, session.status]).toEqual([one, 400]);
  }
  await app.services.accountDeletion.resume();
  expect(await app.services.models.members.countDocuments({ account: id })).toBe(0);
});

it('an account that can not be deleted keeps no other from it', async () => {
  const [stuck, other] = [await app.account(), await app.account()];
  const { accountDeletion, credentials, models } = app.services;
  const lock = credentials.lock.bind(credentials);
  const spy = vi
    .spyOn(credentials, 'lock')
    .mockImplementation((id) =>
      id === stuck.id ? Promise.reject(new Error('it can not be locked')) : lock(id),
    );
  onTestFinished(() => spy.mockRestore());
  for (const { id } of [stuck, other]) {
    await models.accounts.updateOne({ _id: id }, { $set: { deleted_at: new Date() } });
  }
  await accountDeletion.resume();
  const left = await models.accounts.find({ _id: { $in: [stuck.id, other.id] } }).lean();
  const isEmptied = Object.fromEntries(left.map(({ _id, emptied_at }) => [_id, emptied_at !== undefined]));
  expect(isEmptied).toEqual({ [stuck.id]: false, [other.id]: true });
});
