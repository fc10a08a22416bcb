import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';

const app = testApp();
const { change, invite, list, me, member, remove, signIn } = testMembers(app);

describe('the last owner', () => {
  it('stays', async () => {
    const { token, id } = await app.account();
    const last = { detail: 'An account has at least one owner.' };
    expect((await remove(token, id)).json).toEqual(last);
    expect((await change(token, id, { role: 'admin' })).status).toBe(409);
    // Who is invited is none yet.
    await invite(token, { role: 'owner' });
    expect((await remove(token, id)).status).toBe(409);
  });

  it('is there after two have removed each other at once', async () => {
    const { token, id } = await app.account();
    const other = await member(token, 'owner');
    const answers = await Promise.all([remove(token, other.uuid), remove(other.token, id)]);
    const statuses = answers.map(({ status }) => status).sort();
    expect([
      [204, 401],
      [204, 404],
      [204, 409],
    ]).toContainEqual(statuses);
    const tokens = await Promise.all([me(token), me(other.token)]);
    expect(tokens.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('the founding member', () => {
  it('hands its place to another owner when it leaves', async () => {
    const { token, id, username } = await app.account();
    const heir = await member(token, 'owner');
    expect((await remove(heir.token, id)).status).toBe(204);
    expect((await me(token)).status).toBe(401);
    expect((await signIn(username)).status).toBe(400);
    // The heir's token and password go on, and what is the account's is where it was.
    expect((await me(heir.token)).json).toMatchObject({ uuid: heir.uuid, role: 'owner' });
    expect((await signIn(heir.username)).json.token).toBe(heir.token);
    expect(await list(heir.token)).toMatchObject([{ uuid: heir.uuid, role: 'owner' }]);
    expect((await app.request('GET', '/api/v1/widgets/', { token: heir.token })).json).toHaveLength(1);
    const { token: fresh } = (await signIn(heir.username, { reset_token: true })).json;
    expect((await me(heir.token)).status).toBe(401);
    expect((await me(fresh)).status).toBe(200);
  });

  it('leaves no address that a link was to confirm', async () => {
    const { token, id } = await app.account();
    const heir = await member(token, 'owner');
    const { confirmations, models } = app.services;
    const founder = await models.accounts.findOne({ _id: id }).lean();
    if (!founder) throw new Error('there is no such account');
    await confirmations.issue(founder, 'the mail');
    expect((await remove(heir.token, id)).status).toBe(204);
    expect(await models.emailConfirmations.find({ account: id }).lean()).toEqual([]);
  });

  it('and its heir keep their Idempotency-Keys', async () => {
    const { token, id } = await app.account();
    const heir = await member(token, 'owner');
    const make = (by: string) =>
      app.request('POST', '/api/v1/rooms/', { token: by, body: {}, headers: { 'Idempotency-Key': 'a key' } });
    const before = [await make(token), await make(heir.token)].map(({ json }) => json.uuid);
    expect((await change(heir.token, id, { role: 'admin' })).status).toBe(200);
    expect([await make(token), await make(heir.token)].map(({ json }) => json.uuid)).toEqual(before);
  });

  it('becomes an admin with its own token and password', async () => {
    const { token, id, username } = await app.account();
    const heir = await member(token, 'owner');
    expect((await change(heir.token, id, { role: 'admin' })).json).toMatchObject({ uuid: id, role: 'admin' });
    expect((await me(token)).json).toMatchObject({ uuid: id, username, role: 'admin' });
    expect((await signIn(username)).json.token).toBe(token);
    expect((await me(heir.token)).json).toMatchObject({ uuid: heir.uuid, role: 'owner' });
    expect(await list(token)).toHaveLength(2);
    // And back again.
    expect((await change(heir.token, id, { role: 'owner' })).json.role).toBe('owner');
    expect((await remove(token, heir.uuid)).status).toBe(204);
    expect((await me(token)).json).toMatchObject({ uuid: id, role: 'owner' });
    expect((await me(heir.token)).status).toBe(401);
  });

  it('changes, and leaves again, after it has come back', async () => {
    const { token, id, username } = await app.account();
    const heir = await member(token, 'owner');
    await change(heir.token, id, { role: 'admin' });
    await change(heir.token, id, { role: 'owner' });
    await change(token, heir.uuid, { role: 'admin' });
    expect((await change(token, id, { name: 'Ada' })).json).toMatchObject({ uuid: id, name: 'Ada' });
    const { token: fresh } = (await signIn(username, { reset_token: true })).json;
    expect((await me(fresh)).json).toMatchObject({ uuid: id, role: 'owner' });
    await change(fresh, heir.uuid, { role: 'owner' });
    expect((await change(heir.token, id, { role: 'admin' })).json).toMatchObject({ uuid: id, role: 'admin' });
    expect((await remove(heir.token, id)).status).toBe(204);
    expect(await list(heir.token)).toMatchObject([{ uuid: heir.uuid, role: 'owner' }]);
  });

  it('is one member after a crash in between, whose old token and password are dead', async () => {
    const { token, id } = await app.account();
    const heir = await member(token, 'owner');
    const { members } = app.services.models;
    const before = await members.findOne({ _id: heir.uuid }).lean();
    expect((await remove(heir.token, id)).status).toBe(204);
    // As if the process had died before it took the heir out of its first place.
    await members.insertOne(before as never);
    expect(await list(heir.token)).toMatchObject([{ uuid: heir.uuid, role: 'owner' }]);
    const { token: fresh } = (await signIn(heir.username, { reset_token: true })).json;
    expect((await me(heir.token)).status).toBe(401);
    expect((await me(fresh)).status).toBe(200);
    expect(await list(fresh)).toHaveLength(1);
    expect(await members.countDocuments({ _id: heir.uuid })).toBe(0);
  });

  it('stays where an older process has given the name of the other owner to an account', async () => {
    const { token, id } = await app.account();
    const heir = await member(token, 'owner');
    const other = await app.account();
    // Such a process knows nothing of members.
    await app.services.models.accounts.updateOne({ _id: other.id }, { username_key: heir.username });
    for (const answer of [await remove(heir.token, id), await change(heir.token, id, { role: 'admin' })]) {
      expect(answer.status).toBe(409);
      expect(answer.json).toEqual({
        detail: 'Another account has the username or e-mail of the other owner.',
      });
    }
    expect((await me(token)).json).toMatchObject({ uuid: id, role: 'owner' });
    expect((await list(token)).map(({ uuid }: { uuid: string }) => uuid).sort()).toEqual(
      [id, heir.uuid].sort(),
    );
  });
});
