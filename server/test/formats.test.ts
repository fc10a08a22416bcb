import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { testApp } from './app.ts';
import { comparedWithDocument } from './openapi.ts';

/** What callers write is refused where an answer with it would not have the format that the document names. */

const app = testApp();
const undocumented: string[] = [];
const request = comparedWithDocument(app, (fault) => undocumented.push(fault));

afterEach(() => {
  expect(undocumented.splice(0)).toEqual([]);
});

const post = async (path: string, body: object, token?: string) => {
  const answer = await request('POST', path, { body, ...(token && { token }) });
  return [answer.status, answer.json];
};

it.each([
  ['9999-12-31T23:59:59+00:00', 201],
  ['9999-12-31T23:59:59.9999999-00:01', 400],
  ['9999-12-31T14:00:00-23:59', 400],
  ['0000-01-01T00:00:00+10:00', 400],
] as const)('a moment is one in UTC: %s is a %i', async (expires_at, status) => {
  const { token } = await app.account();
  const body = { name: 'A program', scopes: ['conversations:read'], expires_at };
  expect(await post('/api/v1/tokens/', body, token)).toEqual([
    status,
    status === 201
      ? expect.objectContaining({ expires_at: '9999-12-31T23:59:59.000+00:00' })
      : { expires_at: ['Datetime has wrong format. Use ISO 8601 with an offset: 2026-11-21T09:30:00Z.'] },
  ]);
  if (status === 201) expect((await request('GET', '/api/v1/tokens/', { token })).status).toBe(200);
});

it.each([
  ["o'x.-y+z@a--b.example", 201],
  ['a@b.-c', 400],
  ['a@exämple.com', 400],
  ['"a b"@example.com', 400],
  ['a@b.c-', 400],
] as const)('an e-mail address is one that mail can reach: %s is a %i', async (email, status) => {
  const { token } = await app.account();
  const username = `member-${randomUUID()}`;
  const [got, json] = await post('/api/v1/members/', { username, email, role: 'admin' }, token);
  expect([got, json]).toEqual([
    status,
    status === 201 ? expect.objectContaining({ email }) : { email: ['Enter a valid email address.'] },
  ]);
  if (status === 201) expect((await request('GET', '/api/v1/members/', { token })).status).toBe(200);
});
