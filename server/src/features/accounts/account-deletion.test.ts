import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { makeFixtures } from '../../../test/fixtures.ts';

const app = testApp();
const PASSWORD = 'a long enough secret';
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
  // What is counted in memory meanwhile is written when the account is gone.
  const gone = async () =>
    expect(await app.services.models.accounts.exists({ _id: account.uuid })).toBeNull();
  await vi.waitFor(gone, { timeout: 10_000 });
  await sleep(1_500);
  await vi.waitFor(async () => expect(await documentsWith(app.services, account.uuid)).toEqual([]), {
    timeout: 10_000,
  });
  expect(await app.request('GET', '/api/v1/rooms/', { token: other.token })).toMatchObject({ status: 200 });
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
