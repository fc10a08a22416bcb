import type { CommandStartedEvent } from 'mongodb';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { PATIENCE } from '../../../test/mailed-account.ts';
import { testMembers } from '../../../test/members.ts';

const app = testApp({ REGISTRATION: 'open' });
const { me, member } = testMembers(app);

let owner: { token: string; id: string };
beforeAll(async () => {
  owner = await app.account();
});

const seenAt = async (uuid: string): Promise<string | null> =>
  (await app.request('GET', `/api/v1/members/${uuid}/`, { token: owner.token })).json.seen_at;
const isSeen = (uuid: string, after = 0) =>
  vi.waitFor(async () => {
    const at = await seenAt(uuid);
    if (at === null || Date.parse(at) <= after) throw new Error(`seen at ${at}`);
    return at;
  }, PATIENCE);

it('says when a member was last here, founding or not', async () => {
  const grace = await member(owner.token, 'operator');
  expect(await seenAt(grace.uuid)).toBeNull();
  const before = Date.now();
  await me(grace.token);
  expect(Date.parse(await isSeen(grace.uuid))).toBeGreaterThanOrEqual(before);
  await isSeen(owner.id);
});

it('is written once a minute at most, and again after that', async () => {
  const grace = await member(owner.token, 'operator');
  await me(grace.token);
  const first = await isSeen(grace.uuid);
  const writes: unknown[] = [];
  const listen = ({ command }: CommandStartedEvent) => {
    if (command.update === 'members' && JSON.stringify(command).includes('$max')) writes.push(command);
  };
  const client = app.services.connection.getClient();
  client.on('commandStarted', listen);
  onTestFinished(() => void client.off('commandStarted', listen));
  for (let n = 0; n < 20; n++) await me(grace.token);
  // Whatever was to be written, is.
  await app.services.lastSeen.stop();
  expect(await seenAt(grace.uuid)).toBe(first);
  expect(writes).toEqual([]);
  app.services.lastSeen.start();
  const long = new Date(Date.now() - 61_000);
  await app.services.models.members.updateOne({ _id: grace.uuid }, { $set: { seen_at: long } });
  for (let n = 0; n < 20; n++) await me(grace.token);
  await isSeen(grace.uuid, long.getTime());
  expect(writes).toHaveLength(1);
});

it('is nothing that a program does, and no change of the member', async () => {
  const grace = await member(owner.token, 'operator');
  const { headers } = await app.request('GET', `/api/v1/members/${grace.uuid}/`, { token: owner.token });
  const body = { name: 'A program', scopes: ['members:read'] };
  const { json } = await app.request('POST', '/api/v1/tokens/', { token: grace.token, body });
  await isSeen(grace.uuid);
  const long = new Date(Date.now() - 61_000);
  await app.services.models.members.updateOne({ _id: grace.uuid }, { $set: { seen_at: long } });
  expect((await me(json.token)).status).toBe(200);
  await app.services.lastSeen.stop();
  expect(Date.parse((await seenAt(grace.uuid)) ?? '')).toBe(long.getTime());
  app.services.lastSeen.start();
  const named = { token: owner.token, headers: { 'if-match': headers.etag ?? '' } };
  const changed = await app.request('PATCH', `/api/v1/members/${grace.uuid}/`, {
    ...named,
    body: { name: 'G' },
  });
  expect([changed.status, changed.json.name]).toEqual([200, 'G']);
  // What is shown has changed nevertheless.
  const again = { token: owner.token, headers: { 'if-none-match': headers.etag ?? '' } };
  expect((await app.request('GET', `/api/v1/members/${grace.uuid}/`, again)).status).toBe(200);
});
