import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { PASSWORD, testMembers } from '../../../test/members.ts';
import { readBrowserHeaders } from '../../http/device.ts';

/** Members who have accepted by signing in at a provider, and have no password. */

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL, REGISTRATION: 'open' });
const { invite, name, signIn } = testMembers(app);

const without = async (owner: string, role: string) => {
  const username = name();
  const email = `${username}@example.com`;
  const { json } = await invite(owner, { email, role });
  const { acceptance, memberSessions, members } = app.services;
  const [invited] = await acceptance.of(email);
  expect(invited && (await acceptance.byAddress(invited, username))).toBe(true);
  const member = await members.byUsername(username);
  if (!member) throw new Error('not accepted');
  const secret = await memberSessions.begin({ member, browser: readBrowserHeaders(() => ''), time_zone: '' });
  return { uuid: json.uuid as string, username, email, cookie: `__Host-parlor=${secret}` };
};
const ask = (cookie: string, method: string, path: string, body?: object) =>
  app.request(method, `/api/v1/${path}`, { headers: { cookie, origin: PUBLIC_URL }, ...(body && { body }) });
/** @param ms how long ago the member signed in; by a clock that was ahead, less than nothing */
const signedInBefore = (member: string, ms: number) =>
  app.services.models.memberSessions.updateMany(
    { member },
    { $set: { created_at: new Date(Date.now() - ms) } },
  );
const grewOld = (member: string) => signedInBefore(member, 601_000);

describe('a member without a password', () => {
  it('chooses one, and a second factor, within 10 minutes of signing in', async () => {
    const { token } = await app.account();
    const { cookie, uuid, username } = await without(token, 'operator');
    await grewOld(uuid);
    const again = ['Sign in again, and do this within 10 minutes.'];
    const chosen = { password: PASSWORD, password2: PASSWORD };
    expect((await ask(cookie, 'POST', 'auth/password', chosen)).json).toEqual({ old_password: again });
    await signedInBefore(uuid, -3_600_000);
    expect((await ask(cookie, 'POST', 'auth/password', chosen)).json).toEqual({ old_password: again });
    await grewOld(uuid);
    for (const path of ['auth/totp', 'auth/totp/disable']) {
      expect((await ask(cookie, 'POST', path, { password: PASSWORD })).json).toEqual({ password: again });
    }
    expect((await signIn(username)).status).toBe(400);
    expect((await ask(cookie, 'GET', 'auth/session')).json).toMatchObject({ uuid, has_password: false });
  });

  it('signs in by none, an empty one or a word for none', async () => {
    const { token } = await app.account();
    const { username } = await without(token, 'operator');
    for (const password of ['', ' ', 'null', 'undefined', '$argon2id$']) {
      expect((await signIn(username, { password })).status).toBe(400);
    }
  });

  it('inherits an account, and loses nothing of what it may', async () => {
    const { token, id } = await app.account();
    const { cookie, uuid } = await without(token, 'owner');
    expect((await app.request('DELETE', `/api/v1/members/${id}/`, { token })).status).toBe(204);
    expect((await ask(cookie, 'GET', 'members/')).json).toMatchObject([{ uuid, has_password: false }]);
    const account = await app.services.models.accounts.findOne({ _id: id }).lean();
    expect(account).not.toHaveProperty('password');
    expect((await ask(cookie, 'POST', 'rooms/', {})).status).toBe(201);
  });
});

describe('an invitation', () => {
  it('that has run out, or was accepted, is none of its address', async () => {
    const { token } = await app.account();
    const found = (email: string) => app.services.acceptance.of(email);
    const email = `${name()}@example.com`;
    const { json } = await invite(token, { email });
    expect(await found(email.toUpperCase())).toHaveLength(1);
    const [invited] = await found(email);
    await app.services.models.members.updateOne(
      { _id: json.uuid },
      { $set: { invitation_expires_at: new Date(Date.now() - 1) } },
    );
    expect(await found(email)).toEqual([]);
    expect(invited && (await app.services.acceptance.byAddress(invited, name()))).toBe(false);
    const accepted = await without(token, 'operator');
    expect(await found(accepted.email)).toEqual([]);
  });
});
