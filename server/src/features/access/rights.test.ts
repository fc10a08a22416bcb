import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import { bodyFor, type Fixtures, makeFixtures, operations, pathFor } from '../../../test/openapi.ts';
import { RIGHTS } from './rights.ts';

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

/** Objects that nobody who is refused can change. */
let kept: Fixtures;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  kept = await makeFixtures(app);
  for (const role of ['admin', 'operator']) tokens[role] = await join(app, kept.token, role);
});

it('has a row for each operation that takes a member’s credential, and no other', () => {
  expect(Object.keys(RIGHTS).sort()).toEqual(ofMembers.map(({ id }) => id).sort());
});

describe.each(['admin', 'operator'] as const)('%s', (role) => {
  it.each(ofMembers.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    const isAllowed = RIGHTS[id]?.includes(role);
    const objects = isAllowed ? await makeFixtures(app) : kept;
    const token = isAllowed ? await join(app, objects.token, role) : tokens[role];
    const body = bodyFor(operation, objects);
    const answer = await app.request(operation.method, pathFor(operation, objects), {
      ...(token !== undefined && { token }),
      ...(body && { body }),
    });
    if (isAllowed)
      expect([answer.status, answer.text]).toEqual([expect.toSatisfy((n) => n < 300), answer.text]);
    else {
      expect([answer.status, answer.json]).toEqual([
        403,
        { detail: 'You do not have permission to perform this action.' },
      ]);
    }
  });
});
