import { describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { settled } from '../../../test/audit.ts';
import { documentsWith } from '../../../test/everything.ts';
import { type Fixtures, makeFixtures } from '../../../test/fixtures.ts';
import { movedAccounts } from '../../../test/moved-accounts.ts';
import { exportAccount } from './account-copy.ts';
import { deleteAccount } from './account-data.ts';
import { importAccount } from './account-import.ts';

// What failed once is not tried again while the test looks.
const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });

const { accountOf } = movedAccounts(app);

const linesOf = async (username: string): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of exportAccount(app.services, await accountOf(username))) lines.push(line);
  return lines;
};

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Everything that the account can read, as it reads it. */
const view = async ({ token, ids, agentKey }: Fixtures) => {
  const paths = [
    '/api/v1/rooms/',
    '/api/v1/messages/',
    '/api/v1/leads/',
    '/api/v1/keywords/',
    '/api/v1/keyword_notifications/',
    '/api/v1/webhooks/',
    `/api/v1/webhooks/${ids.webhooks}/secret/`,
    '/api/v1/deliveries/',
    '/api/v1/widgets/',
    '/api/v1/workflows/',
    '/api/v1/leads/stats/?group_by=widget',
    '/api/v1/audit/?limit=1000',
  ];
  const own = await Promise.all(paths.map((path) => app.request('GET', path, { token })));
  const conversation = await app.request(
    'GET',
    `/api/v1/public/conversations/${ids['conversations by conversation']}`,
    {
      headers: { 'x-api-key': agentKey },
    },
  );
  return [...own, conversation].map(({ status, json }) => ({ status, json }));
};

/** An account with one object of each kind, whose deliveries have had their first attempt. */
const settledFixtures = async (): Promise<Fixtures> => {
  const fixtures = await makeFixtures(app);
  await vi.waitFor(
    async () => {
      const { json } = await app.request('GET', '/api/v1/deliveries/', { token: fixtures.token });
      expect(json.map(({ attempts }: { attempts: unknown[] }) => attempts.length)).toEqual(json.map(() => 1));
    },
    { timeout: 60_000, interval: 50 },
  );
  await settled(app.services);
  return fixtures;
};

const HEADER = '{"format":"parlor-account","version":1}';
const MADE = '"created_at":{"$date":"2026-11-01T00:00:00Z"}';
const BLANK =
  '"email":"","phone_number":"","device":"","from_page_title":"","referrer":"","widget":"","version":1';
const UUID = '01a205d2-792d-729b-ba02-c33851e0f22a';

it('is not whole where the account is deleted meanwhile', async () => {
  const { username, id } = await app.account();
  const account = await accountOf(username);
  const lines: string[] = [];
  const exporting = (async () => {
    for await (const line of exportAccount(app.services, account)) {
      if (lines.push(line) === 1) await deleteAccount(app.services, id);
    }
  })();
  await expect(exporting).rejects.toThrow(`The account ${username} is being deleted.`);
  expect(lines.filter((line) => line.startsWith('{"account":'))).toEqual([]);
});

describe('export, delete, import', () => {
  it('brings back everything, ids, tokens and secrets included', async () => {
    const fixtures = await settledFixtures();
    const before = await view(fixtures);
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
    const { _id } = await accountOf(fixtures.username);
    const lines = await linesOf(fixtures.username);

    await deleteAccount(app.services, _id);
    expect((await app.request('GET', '/api/v1/rooms/', { token: fixtures.token })).status).toBe(401);
    await app.services.accountDeletion.finish(_id);
    expect(await documentsWith(app.services, _id)).toEqual([]);

    expect(await importAccount(app.services, each(lines))).toBe(fixtures.username);
    expect(await view(fixtures)).toEqual(before);
    const visitors = await app.request('GET', '/api/v1/messages/', { visitor: fixtures.visitor.token });
    expect([visitors.status, visitors.json.length]).toEqual([200, 1]);
    const body = { username: fixtures.username, password: 'a long enough secret' };
    expect((await app.request('POST', '/api/v1/auth/api-token', { body })).json.token).toBe(fixtures.token);
    await expect(importAccount(app.services, each(lines))).rejects.toThrow(/is here already/);
  });

  it('is finished by doing it again when it was broken off', async () => {
    const fixtures = await settledFixtures();
    const before = await view(fixtures);
    const lines = await linesOf(fixtures.username);
    await deleteAccount(app.services, (await accountOf(fixtures.username))._id);
    await expect(importAccount(app.services, each(lines.slice(0, -2)))).rejects.toThrow(/the end is missing/);
    expect((await app.request('GET', '/api/v1/rooms/', { token: fixtures.token })).status).toBe(401);
    await importAccount(app.services, each(lines));
    expect(await view(fixtures)).toEqual(before);
  });

  it.each([
    [[''], /not an export/],
    [['{"format":"something"}'], /not an export/],
    [['{"format":"parlor-account","version":2}'], /line 1: an export of another version/],
    [[HEADER, 'x'], /line 2: not a JSON object/],
    [[HEADER, '{"planets":{"_id":"x"}}'], /line 2: unknown kind "planets"/],
    [[HEADER, '{"rooms":null}'], /line 2: unknown kind "rooms"/],
    [[HEADER, '{"rooms":{"_id":"a","label":"b"}}'], /line 2: an object of another account/],
    [
      [
        HEADER,
        `{"leads":{"_id":"${UUID}","account":"${UUID}","nickname":{"a":1},${BLANK},${MADE}}}`,
        `{"tagNames":{"_id":"${UUID}","names":["a"]}}`,
      ],
      /an object with a field of another type: nickname/,
    ],
    [[HEADER, `{"rooms":{"_id":"a","account":"server",${MADE}}}`], /line 2: an object of another account/],
    [[HEADER, '{"account":null}'], /line 2: not an account/],
    [[HEADER, '{"account":[]}'], /line 2: not an account/],
    [[HEADER, `{"account":{"_id":"${UUID}"}}`], /line 2: not an account/],
    [
      [HEADER, '{"account":{"_id":{"$gt":""},"username":"a","email":"b","token_sealed":"c"}}'],
      /line 2: not an account/,
    ],
    [
      [HEADER, `{"tagNames":{"_id":"${UUID}","names":["a"]}}`, '{"rooms":{"_id":"b","account":"y"}}'],
      /line 3: an object of another account/,
    ],
  ])('refuses %j', async (lines, message) => {
    await expect(importAccount(app.services, each(lines))).rejects.toThrow(message);
  });
});
