import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { settled } from '../../../test/audit.ts';
import { makeFixtures } from '../../../test/fixtures.ts';
import { testMembers } from '../../../test/members.ts';
import { accountCollections } from './account-data.ts';
import { AccountDownloads } from './account-download.ts';

const app = testApp();
const { member } = testMembers(app);
const PATH = '/api/v1/account/export/';

const download = async ({ token }: { token: string }) => {
  const { status, headers, text } = await app.request('GET', PATH, { token });
  expect(status).toBe(200);
  return {
    headers,
    lines: text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  };
};

it('is a file with every object of the account, and the account at its end', async () => {
  const fixtures = await makeFixtures(app);
  await makeFixtures(app);
  const { headers, lines } = await download(fixtures);
  expect(headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'content-disposition': `attachment; filename="parlor ${fixtures.username}.jsonl"`,
    'cache-control': 'no-store',
  });
  expect(lines[0]).toEqual({ format: 'parlor-account-data', version: 1, username: fixtures.username });
  const { uuid } = (await app.request('GET', '/api/v1/account/', { token: fixtures.token })).json;
  expect(lines.at(-1)).toEqual({
    account: expect.objectContaining({ _id: uuid, username: fixtures.username }),
  });

  const ids = new Map<string, string[]>();
  for (const line of lines.slice(1, -1)) {
    const [[name = '', { _id = '' } = {}] = []] = Object.entries(line as Record<string, { _id?: string }>);
    ids.set(name, [...(ids.get(name) ?? []), _id]);
  }
  for (const { name, model, filter } of await accountCollections(app.services.collections, uuid)) {
    // The trail tells of this download, too.
    if (name === 'audit') continue;
    const stored = (await model.find(filter).lean()).map(({ _id }) => String(_id));
    expect([name, ids.get(name)?.sort() ?? []]).toEqual([name, stored.sort()]);
  }
});

it('holds nothing that signs anybody in, or proves who it is', async () => {
  const fixtures = await makeFixtures(app);
  const secrets = new Set([
    fixtures.token,
    fixtures.agentKey,
    fixtures.ids['conversations by conversation'] ?? '',
  ]);
  const { uuid } = (await app.request('GET', '/api/v1/account/', { token: fixtures.token })).json;
  const account = app.services.collections.find(({ name }) => name === 'accounts');
  const all = [
    ...(await accountCollections(app.services.collections, uuid)),
    { name: 'accounts', model: account?.model, filter: { _id: uuid } },
  ];
  for (const { name, model, filter } of all) {
    const {
      sealed = [],
      keyed = [],
      hashed = [],
    } = app.services.collections.find((one) => one.name === name)?.data.fields ?? {};
    for (const document of (await model?.find(filter).lean()) ?? []) {
      for (const field of [...sealed, ...keyed, ...hashed]) {
        for (const value of [document[field]].flat()) if (typeof value === 'string') secrets.add(value);
      }
    }
  }
  const { text } = await app.request('GET', PATH, { token: fixtures.token });
  expect(text).toContain('"bot":{');
  expect(secrets.size).toBeGreaterThan(8);
  expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
});

it('leaves an entry in the audit trail, before the first line', async () => {
  const fixtures = await makeFixtures(app);
  // Whoever asks for the headers alone gets no copy.
  expect((await app.request('HEAD', PATH, { token: fixtures.token })).status).toBe(200);
  await download(fixtures);
  await settled(app.services);
  const { json } = await app.request('GET', '/api/v1/audit/?action=exportAccount', { token: fixtures.token });
  expect(json).toMatchObject([{ actor: { name: fixtures.username }, object: { kind: 'account' } }]);
});

const signedIn = async () => undefined;

/** Breaks off without the line that says that it is whole. */
const brokenOff = async (stream: Readable) => {
  let text = '';
  const read = async () => {
    for await (const piece of stream) text += piece;
  };
  await expect(read()).rejects.toThrow();
  expect(text).not.toContain('\n{"account":');
};

it('is one at a time, and the next begins when it has ended', async () => {
  const { id } = await app.account();
  const { accounts, accountDownloads } = app.services;
  const account = await accounts.byId(id);
  const first = accountDownloads.open(account, id, signedIn);
  expect(() => accountDownloads.open(account, id, signedIn)).toThrow('Expected available in 60 seconds');
  const ended = new Promise((resolve) => first.once('close', resolve));
  first.destroy();
  await ended;
  expect(await accountDownloads.open(account, id, signedIn).toArray()).not.toEqual([]);
});

it('breaks off when the account is deleted meanwhile, and for who is no owner any more', async () => {
  const { id, token } = await app.account();
  const { accounts, accountDownloads, models } = app.services;
  const account = await accounts.byId(id);
  const operator = await member(token, 'operator');
  await brokenOff(accountDownloads.open(account, operator.uuid, signedIn));
  const stream = accountDownloads.open(account, id, signedIn);
  await models.accounts.updateOne({ _id: id }, { $set: { deleted_at: new Date() } });
  await brokenOff(stream);
});

it('breaks off where it is not read to its end in time, and leaves its place to others', async () => {
  const { id } = await app.account();
  const { accounts, collections } = app.services;
  const account = await accounts.byId(id);
  const downloads = new AccountDownloads(collections, async () => ({ role: 'owner' }), 50);
  const stream = downloads.open(account, id, signedIn);
  await expect(once(stream, 'close')).rejects.toThrow('aborted');
  expect(() => downloads.open(account, id, signedIn).destroy()).not.toThrow();
});
