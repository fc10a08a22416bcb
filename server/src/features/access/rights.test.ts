import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import { bodyFor, type Fixtures, makeFixtures, pathFor, withOwn } from '../../../test/fixtures.ts';
import { type Operation, operations } from '../../../test/openapi.ts';
import { LIVE_CHANNEL, LIVE_CHANNEL_WRITES, RIGHTS } from './rights.ts';

/** Every operation that takes a member's credential, called by each role, against the table. */

const app = testApp();
const ofMembers = operations.filter(({ callers }) => callers.includes('Token'));

/** A member of that role in the account. */
const join = async ({ request }: TestApp, token: string, role: string): Promise<string> => {
  const username = `${role}-${Math.random().toString(36).slice(2)}`;
  const password = 'a long enough secret';
  const body = { email: `${username}@example.com`, role };
  const { json } = await request('POST', '/api/v1/members/', { token, body });
  const accepted = { token: json.invite_url.split('#token=')[1], username, password, password2: password };
  await request('POST', '/api/v1/auth/accept-invitation', { body: accepted });
  return (await request('POST', '/api/v1/auth/api-token', { body: { username, password } })).json.token;
};

interface Case {
  objects: Fixtures;
  token: string;
}
const joined = async (role: string): Promise<Case> => {
  const objects = await makeFixtures(app);
  return { objects, token: await join(app, objects.token, role) };
};

it('has a row for each operation that takes a member’s credential, and no other', () => {
  const rows = [LIVE_CHANNEL, LIVE_CHANNEL_WRITES, ...ofMembers.map(({ id }) => id)];
  expect(Object.keys(RIGHTS).sort()).toEqual(rows.sort());
});

/** After these the next operation would not find what it is about. */
const isSpoiling = ({ id, method }: Operation): boolean =>
  ['PUT', 'DELETE'].includes(method) || id === 'changePassword';

describe.each(['admin', 'operator'] as const)('%s', (role) => {
  let shared: Case;
  beforeAll(async () => {
    shared = await joined(role);
  });

  it.each(ofMembers.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    const isAllowed = RIGHTS[id]?.[0].includes(role);
    const { objects: all, token } = isAllowed && isSpoiling(operation) ? await joined(role) : shared;
    const objects = await withOwn(app, operation, all, token);
    const body = bodyFor(operation, objects);
    const path = pathFor(operation, objects);
    const answer = await app.request(operation.method, path, { token, ...(body && { body }) });
    const isRefused = answer.status === 403 || answer.status === 401;
    expect([isRefused, answer.text]).toEqual([!isAllowed, answer.text]);
    expect(answer.status).toBeLessThan(500);
    if (!isAllowed) {
      expect(answer.json).toEqual({ detail: 'You do not have permission to perform this action.' });
    }
  });
});
