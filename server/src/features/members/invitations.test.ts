import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { PASSWORD, testMembers } from '../../../test/members.ts';

const app = testApp();
const { accept, invite, linkOf, list, me, member, name, remove, signIn } = testMembers(app);

describe('an invitation', () => {
  it('makes a member with a name, a token and rights of its own', async () => {
    const { token, id } = await app.account();
    const email = `${name()}@example.com`;
    const invited = await invite(token, { email, name: 'Grace', role: 'admin' });
    expect(invited.status).toBe(201);
    expect(invited.json).toMatchObject({ email, name: 'Grace', role: 'admin', username: null });
    expect(invited.headers['cache-control']).toBe('no-store');
    const username = name();
    const accepted = await accept(linkOf(invited), username);
    expect(accepted.status).toBe(201);
    expect(accepted.json).toMatchObject({ uuid: invited.json.uuid, username, invitation_expires_at: null });
    const own = (await signIn(username)).json.token;
    expect(own).toMatch(/^[0-9a-f]{40}$/);
    expect(own).not.toBe(token);
    expect((await me(own)).json).toMatchObject({ uuid: invited.json.uuid, role: 'admin' });
    // It works on the same account.
    await app.request('POST', '/api/v1/rooms/', { token, body: { label: 'shared' } });
    expect((await app.request('GET', '/api/v1/rooms/shared/', { token: own })).status).toBe(200);
    expect((await list(own)).map(({ uuid }: { uuid: string }) => uuid)).toEqual([invited.json.uuid, id]);
  });

  it('is made once under one Idempotency-Key, and its link shown again, which keeps it nowhere readable', async () => {
    const { token } = await app.account();
    const body = { email: `${name()}@example.com`, name: 'Grace', role: 'admin' };
    const headers = { 'Idempotency-Key': 'one invitation' };
    const ask = () => app.request('POST', '/api/v1/members/', { token, body, headers });
    const { idempotency } = app.services.models;
    const made = await ask();
    const again = await ask();
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
      201,
      made.text,
      'true',
    ]);
    for (const header of ['etag', 'location', 'cache-control', 'content-type']) {
      expect([again.headers[header], header]).toEqual([made.headers[header], header]);
    }
    const other = { ...body, name: 'Hopper' };
    expect((await app.request('POST', '/api/v1/members/', { token, body: other, headers })).status).toBe(422);
    const kept = JSON.stringify(await idempotency.find().lean());
    expect(kept).toContain(made.json.uuid);
    for (const secret of [linkOf(made), body.email]) expect(kept).not.toContain(secret);

    // As a crash between the member's write and the response's leaves it.
    const past = { leased_until: new Date(0) };
    await idempotency.updateOne({ object: made.json.uuid }, { $unset: { answer: 1 }, $set: past });
    const after = await ask();
    expect([after.status, after.json]).toEqual([201, made.json]);
    expect(await list(token)).toHaveLength(2);
    expect((await accept(linkOf(made))).status).toBe(201);
    expect(await ask()).toMatchObject({
      status: 409,
      json: { detail: 'This invitation is not open any more.' },
    });
  });

  it('is good once, and for its own words only', async () => {
    const { token } = await app.account();
    const link = linkOf(await invite(token));
    for (const wrong of [`${link}x`, link.slice(1), 'x'.repeat(43)]) {
      expect((await accept(wrong)).json).toEqual({
        token: ['This invitation is not good, has run out or was used.'],
      });
    }
    const tries = await Promise.all([accept(link), accept(link), accept(link)]);
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect((await accept(link)).status).toBe(400);
  });

  it('has run out after 7 days', async () => {
    const { token } = await app.account();
    const invited = await invite(token);
    const week = 7 * 86_400_000;
    const left = new Date(invited.json.invitation_expires_at).getTime() - Date.now();
    expect(Math.abs(left - week)).toBeLessThan(60_000);
    await app.services.models.members.updateOne(
      { _id: invited.json.uuid },
      { $set: { invitation_expires_at: new Date(Date.now() - 1) } },
    );
    expect((await accept(linkOf(invited))).status).toBe(400);
  });

  it('of the same address again is a new link, and one that is withdrawn is dead', async () => {
    const { token } = await app.account();
    const email = `${name()}@example.com`;
    const first = await invite(token, { email });
    const second = await invite(token, { email: email.toUpperCase() });
    expect((await accept(linkOf(first))).status).toBe(400);
    expect((await remove(token, second.json.uuid)).status).toBe(204);
    expect((await accept(linkOf(second))).status).toBe(400);
    expect(await list(token)).toHaveLength(1);
  });

  it('of the same address again, while the first one is accepted, is a 400 and leaves nothing', async () => {
    const { token } = await app.account();
    const email = `${name()}@example.com`;
    const first = await invite(token, { email, role: 'admin' });
    const { members } = app.services.models;
    const { collection } = members;
    const insertOne = collection.insertOne.bind(collection);
    const statuses: number[] = [];
    const spy = vi.spyOn(collection, 'insertOne').mockImplementationOnce(async (...document) => {
      statuses.push((await accept(linkOf(first))).status);
      return insertOne(...document);
    });
    onTestFinished(() => spy.mockRestore());
    const second = await invite(token, { email, role: 'admin' });
    expect(statuses).toEqual([201]);
    expect([second.status, second.json]).toEqual([
      400,
      { email: ['A user with that email already exists.'] },
    ]);
    expect((await list(token)).filter((one: { email: string }) => one.email === email)).toMatchObject([
      { uuid: first.json.uuid, role: 'admin', invitation_expires_at: null },
    ]);
  });

  it('keeps its address from nobody else until it is accepted', async () => {
    const { token } = await app.account();
    const username = name();
    const email = `${username}@example.com`;
    const invited = await invite(token, { email });
    const body = { username, email, password: PASSWORD, password2: PASSWORD };
    expect((await app.request('POST', '/api/v1/auth/register', { body })).status).toBe(201);
    const late = await accept(linkOf(invited));
    expect(late.json).toEqual({ email: ['A user with that email already exists.'] });
    // It is still an invitation.
    expect(await list(token)).toMatchObject([{ username: null }, { role: 'owner' }]);
  });

  it("refuses a founder's and a member's name in whatever case, and a weak password", async () => {
    const { token, username } = await app.account();
    const other = await member(token, 'operator');
    const link = linkOf(await invite(token));
    for (const taken of [username, username.toUpperCase(), other.username.toUpperCase()]) {
      expect((await accept(link, taken)).json).toEqual({
        username: ['A user with that username already exists.'],
      });
    }
    const weak = await accept(link, name(), { password: 'password1', password2: 'password2' });
    expect(Object.keys(weak.json)).toEqual(['password', 'password2']);
    const body = {
      username: other.username.toUpperCase(),
      email: `${name()}@example.com`,
      password: PASSWORD,
      password2: PASSWORD,
    };
    const registered = await app.request('POST', '/api/v1/auth/register', { body });
    expect(registered.json).toEqual({ username: ['A user with that username already exists.'] });
    expect((await accept(link)).status).toBe(201);
  });

  it('of one name, accepted and registered at the same time, is good for one', async () => {
    const { token } = await app.account();
    const username = name();
    const links = await Promise.all([invite(token), invite(token), invite(token)]);
    const register = (email: string) =>
      app.request('POST', '/api/v1/auth/register', {
        body: { username, email, password: PASSWORD, password2: PASSWORD },
      });
    const answers = await Promise.all([
      ...links.map((link) => accept(linkOf(link), username)),
      register(`${name()}@example.com`),
      register(`${name()}@example.com`),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
    expect((await signIn(username)).status).toBe(200);
  });

  it('is stored without its secret', async () => {
    const { token } = await app.account();
    const invited = await invite(token);
    const stored = await app.services.models.members.findOne({ _id: invited.json.uuid }).lean();
    expect(JSON.stringify(stored)).not.toContain(linkOf(invited));
  });

  it('is refused beyond 100 members', async () => {
    const { token, id } = await app.account();
    const made = Array.from({ length: 99 }, (_, index) => ({
      _id: `${id}-${index}`,
      account: id,
      role: 'operator' as const,
      email: `${index}@example.com`,
      created_at: new Date(),
      invitation_hash: `${id}-${index}`,
    }));
    await app.services.models.members.insertMany(made);
    const answers = await Promise.all([invite(token), invite(token), invite(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect((await invite(token)).json).toEqual({
      non_field_errors: ['An account may have at most 100 members.'],
    });
  });
});
