import type { AuditEntry } from '@parlor/shared';
import { beforeAll, describe, expect, it } from 'vitest';
import { AUDITED } from '../src/features/audit/audited.ts';
import { testApp } from './app.ts';
import { settled } from './audit.ts';
import { bodyFor, credentialFor, type Fixtures, isSpoiling, makeFixtures, pathFor } from './fixtures.ts';
import { BY_OTHERS, faults, type Operation, operations } from './openapi.ts';

/** Every operation that changes something leaves exactly the entry that the table says, and no secret. */

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL, REGISTRATION: 'open' });
const listAudit = operations.find(({ id }) => id === 'listAudit') as Operation;
const changing = operations.filter(({ method }) => method !== 'GET');

const signIn = async ({ username }: { username: string }) => {
  const body = { username, password: 'a long enough secret' };
  return (await app.request('POST', '/api/v1/auth/api-token', { body })).json as { token: string };
};

const trailOf = async ({ token }: { token: string }): Promise<AuditEntry[]> => {
  const { status, json } = await app.request('GET', '/api/v1/audit/?limit=1000', { token });
  expect(faults(listAudit, status, json)).toEqual([]);
  return json;
};

/** Bodies that change something of the fixtures, where the document's example does not. */
const BODIES: Record<string, object> = {
  changeAccount: { requires_totp: true },
  updateWidget: { name: 'Shop' },
  changeOwnMember: { name: 'Ada Byron' },
};

/** Signing out is about the session of the cookie. */
const inBrowser = async ({ username }: Fixtures) => {
  const body = { username, password: 'a long enough secret' };
  const { headers } = await app.request('POST', '/api/v1/auth/session', { body });
  return { headers: { cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '', origin: PUBLIC_URL } };
};

/** What has to be there before the operation does something. */
const prepare = async (id: string, fixtures: Fixtures) => {
  if (id === 'endSession') return inBrowser(fixtures);
  if (id === 'deleteAvatar') {
    // Whoever is invited can't have set one.
    await app.services.models.members.updateOne({ _id: fixtures.ids.members ?? '' }, { avatar: 'a' });
  }
  const confirm = operations.find((operation) => operation.id === 'confirmTotp') as Operation;
  if (['changeAccount', 'disableTotp'].includes(id)) await send(confirm, fixtures);
};

const send = async (operation: Operation, fixtures: Fixtures, credential?: object) => {
  const body = BODIES[operation.id] ?? bodyFor(operation, fixtures);
  const answer = await app.request(operation.method, pathFor(operation, fixtures), {
    ...(credential ?? credentialFor(operation, fixtures)),
    ...(body && { body }),
  });
  return { ...answer, body: body as { username: string } };
};

it('has a decision for each operation that changes something, and for no other', () => {
  expect(Object.keys(AUDITED).sort()).toEqual(changing.map(({ id }) => id).sort());
});

describe('each operation', () => {
  let shared: Fixtures;
  beforeAll(async () => {
    shared = await makeFixtures(app);
  });

  // What needs others is tried with them.
  const here = changing.filter(({ id }) => !BY_OTHERS.has(id));
  it.each(here.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    const fixtures = isSpoiling(operation) ? await makeFixtures(app) : shared;
    const credential = await prepare(id, fixtures);
    await settled(app.services);
    const known = new Map((await trailOf(fixtures)).map(({ uuid, count }) => [uuid, count]));
    const { status, text, body } = await send(operation, fixtures, credential);
    expect([status < 300, text]).toEqual([true, text]);
    await settled(app.services);
    const added = (await trailOf(id === 'register' ? await signIn(body) : fixtures)).filter(
      ({ uuid, count, action }) => known.get(uuid) !== count && (id !== 'register' || action === id),
    );
    const isAudited = AUDITED[id as keyof typeof AUDITED];
    expect(added.map(({ action }) => action)).toEqual(isAudited ? [id] : []);
    const [entry] = added;
    if (!entry) return;
    if (id === 'eraseSession') {
      expect(entry).toMatchObject({ actor: { kind: 'visitor', uuid: null }, address: null });
    } else {
      const name = ['register', 'acceptInvitation'].includes(id) ? body.username : fixtures.username;
      expect(entry).toMatchObject({ actor: { kind: 'member', name }, address: '127.0.0.1' });
    }
    // Rooms and leads are called what visitors are called.
    const isNameless = ['room', 'lead', 'session'].includes(entry.object.kind);
    expect(entry.object.label === '').toBe(isNameless);
  });
});
