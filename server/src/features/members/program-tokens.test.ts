import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { bodyFor, type Fixtures, makeFixtures, pathFor } from '../../../test/fixtures.ts';
import { testMembers } from '../../../test/members.ts';
import { operations } from '../../../test/openapi.ts';
import { RIGHTS } from '../access/rights.ts';
import { deleteAccount } from '../accounts/account-data.ts';

const app = testApp({ REGISTRATION: 'open' });
const { member } = testMembers(app);
const PASSWORD = 'a long enough secret';
let owner: Fixtures;
beforeAll(async () => {
  owner = await makeFixtures(app);
});

const make = (body: object, token = owner.token) =>
  app.request('POST', '/api/v1/tokens/', { token, body: { name: 'A program', ...body } });
const get = (token: string, path: string) => app.request('GET', path, { token });

describe('the tokens of an operator', () => {
  it('leave room for those of others, who delete them where they are owners or admins', {
    timeout: 60_000,
  }, async () => {
    const { token: founder, id } = await app.account();
    const [operator, admin] = [await member(founder, 'operator'), await member(founder, 'admin')];
    const scopes = ['conversations:read'];
    const made: Awaited<ReturnType<typeof make>>[] = [];
    while (made.length < 20) made.push(await make({ scopes }, operator.token));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(await make({ scopes }, operator.token)).toMatchObject({
      status: 400,
      json: { non_field_errors: ['An operator may have at most 20 tokens.'] },
    });
    const own = await make({ scopes }, founder);
    expect(own.status).toBe(201);

    const listed = async (by: string, query = '') => get(by, `/api/v1/tokens/${query}`);
    expect((await listed(founder)).json).toHaveLength(1);
    expect((await listed(operator.token, '?all=true')).status).toBe(403);
    for (const by of [founder, admin.token]) {
      const all = (await listed(by, '?all=true')).json;
      const makers = all.map((one: { member: string }) => one.member);
      expect(new Set(makers)).toEqual(new Set([id, operator.uuid]));
      expect(JSON.stringify(all)).not.toContain('pat_');
    }
    const remove = async (by: string, { json }: typeof own) =>
      (await app.request('DELETE', `/api/v1/tokens/${json.uuid}/`, { token: by })).status;
    const [first, second] = made as [typeof own, typeof own];
    expect(await remove(operator.token, own)).toBe(404);
    expect(await remove(admin.token, own)).toBe(403);
    expect(await remove(owner.token, first)).toBe(404);
    expect(await remove(admin.token, first)).toBe(204);
    expect(await remove(founder, second)).toBe(204);
    expect((await get(second.json.token, '/api/v1/conversations/')).status).toBe(401);
    expect((await make({ scopes }, operator.token)).status).toBe(201);
  });
});

describe('a program’s token', () => {
  it('is shown once, and does what its scopes say', async () => {
    const made = await make({ scopes: ['leads:read', 'leads:read'] });
    expect(made.status).toBe(201);
    expect(made.headers['cache-control']).toBe('no-store');
    const { token, ...shown } = made.json;
    expect(token).toMatch(/^pat_[A-Za-z0-9]{40}$/);
    expect(shown).toMatchObject({
      name: 'A program',
      scopes: ['leads:read'],
      expires_at: null,
      used_at: null,
    });
    expect((await get(token, '/api/v1/leads/')).status).toBe(200);
    const { json: tokens } = await get(owner.token, '/api/v1/tokens/');
    expect(tokens[0]).toEqual({ ...shown, used_at: expect.stringMatching(/^20/) });
    expect(JSON.stringify(await app.services.models.tokens.find().lean())).not.toContain(token);
  });

  it('is made once under one Idempotency-Key, and shown again, which keeps it nowhere readable', async () => {
    const ask = (name = 'Once') =>
      app.request('POST', '/api/v1/tokens/', {
        token: owner.token,
        body: { name, scopes: ['leads:read'] },
        headers: { 'Idempotency-Key': 'one token' },
      });
    const { tokens, idempotency } = app.services.models;
    const made = await ask();
    await get(made.json.token, '/api/v1/leads/');
    const again = await ask();
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
      201,
      made.text,
      'true',
    ]);
    for (const name of ['etag', 'location', 'cache-control', 'content-type']) {
      expect([again.headers[name], name]).toEqual([made.headers[name], name]);
    }
    expect((await ask('Another')).status).toBe(422);
    expect(await tokens.countDocuments({ name: 'Once' })).toBe(1);
    const kept = JSON.stringify(await idempotency.find().lean());
    expect(kept).toContain(made.json.uuid);
    expect(kept).not.toContain(made.json.token.slice(4));

    // As a crash between the token's write and the response's leaves it.
    const past = { leased_until: new Date(0) };
    await idempotency.updateOne({ object: made.json.uuid }, { $unset: { answer: 1 }, $set: past });
    const after = await ask();
    expect([after.status, after.json.token]).toEqual([201, made.json.token]);
    expect(await tokens.countDocuments({ name: 'Once' })).toBe(1);

    await tokens.updateOne({ _id: made.json.uuid }, { $set: { expires_at: new Date(0) } });
    expect(await ask()).toMatchObject({
      status: 409,
      json: { detail: 'The token of this Idempotency-Key is gone.' },
    });

    await app.request('DELETE', `/api/v1/tokens/${made.json.uuid}/`, { token: owner.token });
    expect(await ask()).toMatchObject({
      status: 409,
      json: { detail: 'What was made under this Idempotency-Key has been deleted.' },
    });
  });

  it.each([
    ['no scope', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['everything'] }, 'scopes'],
    ['a scope that is no list', { scopes: 'leads:read' }, 'scopes'],
    ['no scopes at all', {}, 'scopes'],
    ['no name', { scopes: ['leads:read'], name: '' }, 'name'],
    [
      'a moment that has passed',
      { scopes: ['leads:read'], expires_at: '2020-01-01T00:00:00Z' },
      'expires_at',
    ],
    ['a day for a moment', { scopes: ['leads:read'], expires_at: '2099-01-01' }, 'expires_at'],
  ])('is not made with %s', async (_, body, field) => {
    const answer = await make(body);
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, [field]]);
  });

  it('ends at its time, when it is deleted, and with its member', async () => {
    const scopes = ['members:read'];
    const soon = await make({ scopes, expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await get(soon.json.token, '/api/v1/members/me/')).status).toBe(200);
    await app.services.models.tokens.updateOne(
      { _id: soon.json.uuid },
      { $set: { expires_at: new Date(Date.now() - 1) } },
    );
    expect((await get(soon.json.token, '/api/v1/members/me/')).status).toBe(401);

    const other = await make({ scopes });
    expect(
      (await app.request('DELETE', `/api/v1/tokens/${other.json.uuid}/`, { token: owner.token })).status,
    ).toBe(204);
    expect((await get(other.json.token, '/api/v1/members/me/')).status).toBe(401);

    const body = { email: `${owner.username}.3@example.com`, role: 'admin' };
    const invited = (await app.request('POST', '/api/v1/members/', { token: owner.token, body })).json;
    const username = `${owner.username}.3`;
    const accepted = { username, password: PASSWORD, password2: PASSWORD };
    await app.request('POST', '/api/v1/auth/accept-invitation', {
      body: { ...accepted, token: invited.invite_url.split('=')[1] },
    });
    const signedIn = await app.request('POST', '/api/v1/auth/api-token', {
      body: { username, password: PASSWORD },
    });
    const theirs = await make({ scopes: ['webhooks:read', 'leads:read'] }, signedIn.json.token);
    // It is not among the owner's own.
    expect((await get(owner.token, '/api/v1/tokens/')).text).not.toContain(theirs.json.uuid);
    // It has no more rights than its member has now.
    expect((await get(theirs.json.token, '/api/v1/webhooks/')).status).toBe(200);
    await app.request('PATCH', `/api/v1/members/${invited.uuid}/`, {
      token: owner.token,
      body: { role: 'operator' },
    });
    expect((await get(theirs.json.token, '/api/v1/webhooks/')).status).toBe(403);
    expect((await get(theirs.json.token, '/api/v1/leads/')).status).toBe(200);
    await app.request('DELETE', `/api/v1/members/${invited.uuid}/`, { token: owner.token });
    expect((await get(theirs.json.token, '/api/v1/leads/')).status).toBe(401);
    expect(await app.services.models.tokens.countDocuments({ member: invited.uuid })).toBe(0);
  });

  it('is dead once its account is locked, whoever made it, and gone with the account', async () => {
    const { token, id } = await app.account();
    const hers = await member(token, 'admin');
    const programs: string[] = [];
    for (const maker of [token, hers.token]) {
      programs.push((await make({ scopes: ['leads:read', 'webhooks:write'] }, maker)).json.token);
    }
    const statuses = () =>
      Promise.all(programs.map(async (program) => (await get(program, '/api/v1/leads/')).status));
    expect(await statuses()).toEqual([200, 200]);
    const { credentials, models } = app.services;
    await credentials.lock(id);
    expect(await statuses()).toEqual([401, 401]);
    expect(await models.tokens.countDocuments({ account: id })).toBe(0);
    await deleteAccount(app.services, id);
    expect(await statuses()).toEqual([401, 401]);
  });

  it('is refused of a member or an account that is not there any more, also where it stayed behind', async () => {
    const { token, id } = await app.account();
    const hers = await member(token, 'admin');
    const { json: program } = await make({ scopes: ['leads:read'] }, hers.token);
    const { models } = app.services;
    const left = await models.tokens.findOne({ _id: program.uuid }).lean();
    await app.request('DELETE', `/api/v1/members/${hers.uuid}/`, { token });
    // As where a process died before it deleted the token, or another one has made it meanwhile.
    await models.tokens.insertOne(left as never);
    expect((await get(program.token, '/api/v1/leads/')).status).toBe(401);
    const { json: owners } = await make({ scopes: ['leads:read'] }, token);
    const stays = await models.tokens.findOne({ _id: owners.uuid }).lean();
    await deleteAccount(app.services, id);
    expect(await models.tokens.countDocuments({ account: id })).toBe(0);
    await models.tokens.insertOne(stays as never);
    expect((await get(owners.token, '/api/v1/leads/')).status).toBe(401);
  });

  it('is one of 50 of an account at most', async () => {
    const { token } = await app.account();
    for (let n = 0; n < 49; n++) await make({ scopes: ['leads:read'] }, token);
    const answers = await Promise.all([1, 2, 3].map(() => make({ scopes: ['leads:read'] }, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });
});

const ofPrograms = operations.filter(({ callers }) => callers.includes('Token'));
const isReading = ({ method }: { method: string }) => method === 'GET';

describe.each(['read', 'write'])('with every scope to %s', (kind) => {
  let token = '';
  beforeAll(async () => {
    const scopes = [...new Set(Object.values(RIGHTS).flatMap(([, scope]) => scope ?? []))];
    const wanted = scopes.filter((scope) => scope.endsWith(`:${kind}`));
    token = (await make({ scopes: wanted })).json.token;
  });

  it.each(ofPrograms.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    const [, scope] = RIGHTS[id] ?? [];
    const mayWrite = kind === 'write' && !['members:read', 'audit:read'].includes(scope ?? '');
    const isAllowed = scope && (kind === 'read' ? scope.endsWith(':read') : mayWrite);
    // What would change the fixtures is tried only where it must be refused.
    if (isAllowed && !isReading(operation)) {
      expect(scope?.endsWith(':write')).toBe(true);
      return;
    }
    const body = bodyFor(operation, owner);
    const answer = await app.request(operation.method, pathFor(operation, owner), {
      token,
      ...(body && { body }),
    });
    expect([id, answer.status]).toEqual([id, isAllowed ? 200 : 403]);
  });
});
