import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';

const app = testApp();
const { accept, change, invite, linkOf, list, me, member, remove, signIn } = testMembers(app);

describe('an account', () => {
  it('has its owner as its first member', async () => {
    const { token, id, username } = await app.account();
    const founder = {
      uuid: id,
      username,
      email: `${username}@example.com`,
      name: username,
      role: 'owner',
      is_away: false,
      has_totp: false,
      invitation_expires_at: null,
    };
    expect((await me(token)).json).toMatchObject(founder);
    expect(await list(token)).toMatchObject([founder]);
  });
});

describe('a member', () => {
  it('changes its name and absence, with If-Match, and nothing else of itself', async () => {
    const { token } = await app.account();
    const { token: own, uuid } = await member(token, 'operator');
    const etag = (await me(own)).headers.etag ?? '';
    const patch = (body: object, match = '*') =>
      app.request('PATCH', '/api/v1/members/me/', { token: own, body, headers: { 'if-match': match } });
    const changed = await patch(
      { name: 'Grace', is_away: true, role: 'owner', email: 'x@example.com' },
      etag,
    );
    expect(changed.json).toMatchObject({ uuid, name: 'Grace', is_away: true, role: 'operator' });
    expect((await patch({ name: 'Ada' }, etag)).status).toBe(412);
    // When it was seen is written beside its requests.
    const { seen_at: _, ...settings } = changed.json;
    expect((await me(own)).json).toMatchObject(settings);
  });

  it('who founded the account changes its name, too', async () => {
    const { token, username } = await app.account();
    const changed = await app.request('PATCH', '/api/v1/members/me/', { token, body: { name: 'Ada' } });
    expect(changed.json.name).toBe('Ada');
    expect((await list(token))[0].name).toBe('Ada');
    // Without one it is called as it signs in.
    const unnamed = await app.request('PATCH', '/api/v1/members/me/', { token, body: { name: '' } });
    expect(unnamed.json.name).toBe(username);
  });

  it('gets a new token without touching those of others', async () => {
    const { token } = await app.account();
    const { token: before, username } = await member(token, 'operator');
    const { token: after } = (await signIn(username, { reset_token: true })).json;
    expect((await me(before)).status).toBe(401);
    expect((await me(after)).status).toBe(200);
    expect((await me(token)).status).toBe(200);
    expect((await signIn(username)).json.token).toBe(after);
  });

  it('that is removed is out at once, and its username is free', async () => {
    const { token } = await app.account();
    const { token: own, uuid, username } = await member(token, 'admin');
    expect((await remove(token, uuid)).status).toBe(204);
    expect((await me(own)).status).toBe(401);
    expect((await signIn(username)).status).toBe(400);
    expect((await remove(token, uuid)).status).toBe(404);
    const link = linkOf(await invite(token));
    expect((await accept(link, username)).status).toBe(201);
  });

  it('that is removed does not come back by an invitation that a crash has left', async () => {
    const { token } = await app.account();
    const invited = await invite(token, { role: 'admin' });
    const { members } = app.services.models;
    const left = await members.findOne({ _id: invited.json.uuid }).lean();
    expect((await accept(linkOf(invited))).status).toBe(201);
    await members.insertOne({ ...left, _id: randomUUID(), events: [] } as never);
    expect((await remove(token, invited.json.uuid)).status).toBe(204);
    expect((await accept(linkOf(invited))).status).toBe(400);
    expect(await list(token)).toHaveLength(1);
  });

  it('is no obstacle to taking away an invitation of its address that was left', async () => {
    const { token } = await app.account();
    const invited = await invite(token, { role: 'owner' });
    const { members } = app.services.models;
    const left = await members.findOne({ _id: invited.json.uuid }).lean();
    expect((await accept(linkOf(invited))).status).toBe(201);
    const _id = randomUUID();
    await members.insertOne({ ...left, _id, role: 'operator', events: [] } as never);
    const admin = await member(token, 'admin');
    expect((await remove(admin.token, _id)).status).toBe(204);
    expect((await remove(admin.token, invited.json.uuid)).status).toBe(403);
  });

  it('of another account is a 404', async () => {
    const { token } = await app.account();
    const other = await app.account();
    const { uuid } = await member(other.token, 'operator');
    for (const id of [uuid, other.id]) {
      expect((await app.request('GET', `/api/v1/members/${id}/`, { token })).status).toBe(404);
      expect((await change(token, id, { role: 'admin' })).status).toBe(404);
      expect((await remove(token, id)).status).toBe(404);
    }
  });
});
