import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, expect, inject, it } from 'vitest';
import { createServices } from '../compose.ts';
import { founderOf } from '../features/members/member.ts';
import { loadConfig } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';
import { reseal } from './reseal.ts';

const OLD = 'the key before, of more than 32 characters';
const NEW = 'the key after it, of more than 32 characters';
const THIRD = 'a key of nobody, of more than 32 characters';

const connections: mongoose.Connection[] = [];
afterAll(async () => {
  for (const connection of connections) {
    await connection.dropDatabase();
    await connection.close();
  }
});

/** A database of its own, and what starts services on it. */
const database = () => {
  const dbName = `parlor_test_${randomUUID().slice(0, 8)}`;
  return async (key: string, previous = '') => {
    const connection = await mongoose
      .createConnection(inject('mongodbUrl'), { dbName, autoIndex: false, autoCreate: false })
      .asPromise();
    connections.push(connection);
    const config = loadConfig({ LOG_LEVEL: 'silent', RATE_LIMIT: 'off', SECRET_KEY_PREVIOUS: previous });
    return createServices(config, connection, key, createLog('silent'));
  };
};

const person = { username: 'ada', email: 'ada@example.com', password: 'a long enough secret' };
const typed = { username: 'ada', password: person.password, code: '' };

const register = async ({ accounts, credentials }: Awaited<ReturnType<typeof createServices>>) => {
  const account = await accounts.create({ ...person, password2: person.password });
  return { account, token: credentials.tokenOf(founderOf(account)) };
};

it('takes the key that it was made with, and refuses another in one line that names both', async () => {
  const open = database();
  const { secrets } = await open(OLD);
  await open(OLD);
  const refused = await open(THIRD).catch((error: Error) => error);
  expect(refused).toMatchObject({ name: 'DatabaseError' });
  expect((refused as Error).message).toContain(secrets.keyFingerprint);
  expect((refused as Error).message).not.toContain('\n');
  await expect(open(THIRD, NEW)).rejects.toThrow(/SECRET_KEY is not the one of this database/);
});

it('changes keys with SECRET_KEY_PREVIOUS, and rotates so that the old one can go', async () => {
  const open = database();
  const before = await open(OLD);
  const { account, token } = await register(before);
  const made = { event: 'chat.added', target: 'https://example.com/' } as const;
  const webhook = await before.webhooks.create(account._id, made);
  const secret = await before.webhooks.secret(account._id, webhook._id);
  const node = { id: 's', type: 'start', greeting: 'Hi' } as const;
  const given = { name: 'Bot', is_published: true, nodes: [node], is_room_bot: false };
  const workflow = await before.workflows.create(account._id, given as never);
  const { public_key } = await before.workflows.present(workflow);

  const between = await open(NEW, OLD);
  expect((await between.credentials.byToken(token))?._id).toBe(account._id);
  const done = await reseal(between, between.secrets, () => undefined);
  expect(done).toEqual({ documents: 3, unchanged: 0 });
  // Once more changes nothing; a server that still has the old key first goes on meanwhile.
  expect(await reseal(between, between.secrets, () => undefined)).toEqual({
    documents: 0,
    unchanged: 3,
  });

  const after = await open(NEW);
  expect((await after.credentials.byToken(token))?._id).toBe(account._id);
  const member = await after.signIn.member(typed, { name: 'obtainToken', address: '203.0.113.1' });
  expect(after.credentials.tokenOf(member)).toBe(token);
  expect(await after.webhooks.secret(account._id, webhook._id)).toBe(secret);
  expect((await after.workflows.byKey(public_key))?._id).toBe(workflow._id);
  await expect(open(OLD)).rejects.toThrow(/SECRET_KEY is not the one of this database/);
});

it('refuses, while keys change, the one that does not open everything alone', async () => {
  const open = database();
  const before = await open(OLD);
  const { account } = await register(before);
  // One that was mistyped has sealed nothing, and is missed by nobody.
  for (const given of [THIRD, NEW]) await open(given, OLD);
  await open(OLD);
  const needs = (key: string) =>
    new RegExp(`needs the key with the fingerprint .*${key}.*SECRET_KEY_PREVIOUS`);
  const { keyFingerprint: old } = before.secrets;
  await expect(open(NEW)).rejects.toThrow(needs(old));

  const between = await open(NEW, OLD);
  const made = { event: 'chat.added', target: 'https://example.com/' } as const;
  await between.webhooks.create(account._id, made);
  await expect(open(OLD)).rejects.toThrow(needs(between.secrets.keyFingerprint));
  await open(OLD, NEW);
  await reseal(between, between.secrets, () => undefined);
  await open(NEW);
});

it.each([
  ['of no form that a key seals', 'v2.AAAA.BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB'],
  ['changed', `v2.${'A'.repeat(16)}.${'B'.repeat(60)}`],
])('takes a value that is damaged, %s, for none of a key that is missing', async (_, damaged) => {
  const open = database();
  const before = await open(OLD);
  const { account } = await register(before);
  const made = { event: 'chat.added', target: 'https://example.com/' } as const;
  const webhook = await before.webhooks.create(account._id, made);
  await before.models.webhooks.updateOne({ _id: webhook._id }, { $set: { secret_sealed: damaged } });
  // One that was mistyped, and has sealed nothing.
  await open(THIRD, OLD);
  await open(OLD);
  const between = await open(NEW, OLD);
  const { keyFingerprint: old } = before.secrets;
  await expect(open(NEW)).rejects.toThrow(new RegExp(`needs the key with the fingerprint .*${old}`));
  const done = await reseal(between, between.secrets, () => undefined);
  expect(done).toEqual({
    documents: 1,
    unchanged: 0,
    unopened: { count: 1, named: [`webhooks ${webhook._id} secret_sealed`], keys: [] },
  });
  await open(NEW);
});

it('keeps all keys of the database as long as one that is not given may have sealed something', async () => {
  const open = database();
  const first = await open(OLD);
  const { account } = await register(first);
  const between = await open(NEW, OLD);
  // A third server comes meanwhile.
  const third = await open(THIRD, NEW).catch(() => open(THIRD, OLD));
  const made = { event: 'chat.added', target: 'https://example.com/' } as const;
  const webhook = await third.webhooks.create(account._id, made);
  const done = await reseal(between, between.secrets, () => undefined);
  expect(done.unopened).toEqual({
    count: 1,
    named: [`webhooks ${webhook._id} secret_sealed`],
    keys: [third.secrets.keyFingerprint],
  });
  const after = await open(NEW, THIRD);
  expect(await reseal(after, after.secrets, () => undefined)).toEqual({ documents: 1, unchanged: 1 });
  await open(NEW);
});

it('has it written down that it rotates, from before it asks for others until it ends', async () => {
  const open = database();
  await register(await open(OLD));
  const between = await open(NEW, OLD);
  const { secrets, models } = between;
  const recorded = async () => (await models.secretKeys.findOne({}).lean())?.rotating_to;
  const seen: (string | undefined)[] = [];
  const look = async () => void seen.push(await recorded());
  const refuse = async () => {
    await look();
    throw new Error('one seals with another key');
  };
  const progress = () => undefined;
  await expect(reseal(between, secrets, progress, refuse)).rejects.toThrow('another key');
  expect(await recorded()).toBeUndefined();
  await open(OLD);
  await reseal(between, secrets, progress, look);
  const { keyFingerprint } = secrets;
  expect(seen).toEqual([keyFingerprint, keyFingerprint, keyFingerprint]);
  expect(await models.secretKeys.findOne({}).lean()).toMatchObject({ fingerprints: [keyFingerprint] });
  expect(await recorded()).toBeUndefined();
});

it('keeps all keys where another rotation has ended meanwhile', async () => {
  const open = database();
  await register(await open(OLD));
  const between = await open(NEW, OLD);
  const { secrets, models } = between;
  const other = async () => void (await models.secretKeys.updateOne({}, { $unset: { rotating_to: 1 } }));
  await expect(reseal(between, secrets, () => undefined, other)).rejects.toThrow('give it again');
  expect((await models.secretKeys.findOne({}).lean())?.fingerprints).toHaveLength(2);
});

it('records the key of a database without a record only when it opens something in it', async () => {
  const open = database();
  const { models, ...rest } = await open(OLD);
  await register({ models, ...rest });
  await models.secretKeys.deleteMany({});
  await expect(open(THIRD)).rejects.toThrow(/SECRET_KEY is not the one of this database/);
  expect(await models.secretKeys.countDocuments()).toBe(0);
  await open(NEW, OLD);
  await open(OLD);
});

it('lets exactly one of two servers win that start at once with different keys', async () => {
  const open = database();
  const started = await Promise.allSettled([OLD, NEW, THIRD].map((key) => open(key)));
  expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('opens no value that was moved to another account', async () => {
  const open = database();
  const services = await open(OLD);
  const { accounts, credentials, models } = services;
  const { account, token } = await register(services);
  const bob = { ...person, username: 'bob', email: 'bob@example.com' };
  const other = await accounts.create({ ...bob, password2: bob.password });
  await models.accounts.updateOne({ _id: other._id }, { $set: { token_sealed: account.token_sealed } });
  expect(credentials.tokenOf(founderOf(account))).toBe(token);
  const moved = await accounts.byId(other._id);
  expect(() => credentials.tokenOf(founderOf(moved))).toThrow();
});
