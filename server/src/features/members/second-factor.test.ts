import { Secret, TOTP } from 'otpauth';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { PASSWORD, testMembers } from '../../../test/members.ts';
import { Secrets } from '../../platform/secrets.ts';
import type { Member } from './member.ts';
import { memberPlace } from './member-store.ts';
import { SecondFactor } from './second-factor.ts';

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL, REGISTRATION: 'open' });
const { member } = testMembers(app);

const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const signIn = (username: string, code?: string) =>
  app.request('POST', '/api/v1/auth/api-token', {
    body: { username, password: PASSWORD, ...(code !== undefined && { code }) },
  });
const post = (token: string, path: string, body: object) =>
  app.request('POST', `/api/v1/auth/totp${path}`, { token, body });

/** A member whose sign-in asks for codes; the one that confirmed is used up. */
const protectedMember = async () => {
  const { token, username, id } = await app.account();
  const { secret } = (await post(token, '', { password: PASSWORD })).json;
  const confirm = () => post(token, '/confirm', { code: codeOf(secret, -1) });
  const first = await confirm();
  // The time step may have ended on the way, and the one before is too old then.
  const { status, json } = first.status === 200 ? first : await confirm();
  expect(status).toBe(200);
  return { token, username, id, secret: secret as string, recovery: json.recovery_codes as string[] };
};

const required = { code: ['A code is required.'] };
const wrong = { code: ['This code is not good.'] };

describe('a second factor', () => {
  it('is asked for once a code was confirmed, and not before', async () => {
    const { token, username } = await app.account();
    expect((await post(token, '', { password: 'wrong' })).json).toEqual({
      password: ['This is not your password.'],
    });
    const begun = await post(token, '', { password: PASSWORD });
    expect(begun.headers['cache-control']).toBe('no-store');
    const { secret, uri } = begun.json;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toBe(
      `otpauth://totp/Parlor:${username}?issuer=Parlor&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
    expect((await signIn(username)).status).toBe(200);
    expect((await post(token, '/confirm', { code: '000000' })).json).toEqual(wrong);
    const confirmed = await post(token, '/confirm', { code: codeOf(secret) });
    expect(confirmed.json.recovery_codes).toHaveLength(10);
    expect(new Set(confirmed.json.recovery_codes).size).toBe(10);
    expect((await post(token, '/confirm', { code: codeOf(secret, 1) })).json).toEqual({
      code: ['It is on already. Set it up anew for recovery codes.'],
    });
    expect((await signIn(username)).json).toEqual(required);
    const me = await app.request('GET', '/api/v1/members/me/', { token });
    expect(me.json.has_totp).toBe(true);
    // Of codes and secret nothing is stored in the clear.
    const stored = JSON.stringify(await app.services.models.accounts.findOne({ username }).lean());
    for (const text of [secret, ...confirmed.json.recovery_codes]) expect(stored).not.toContain(text);
  });

  it('takes each code once, also of many at once, and none that is older', async () => {
    const { username, secret } = await protectedMember();
    const code = codeOf(secret);
    const answers = await Promise.all([1, 2, 3, 4].map(() => signIn(username, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    expect((await signIn(username, code)).json).toEqual(wrong);
    expect((await signIn(username, codeOf(secret, -1))).json).toEqual(wrong);
    expect((await signIn(username, codeOf(secret, 1))).status).toBe(200);
  });

  it.each(['', ' ', '12345', '1234567', '０１２３４５', 'aaaaaa', '-00001', '1e5000'])(
    'is not "%s"',
    async (code) => {
      const { username } = await protectedMember();
      const answer = await signIn(username, code);
      expect([answer.status, Object.keys(answer.json)]).toEqual([400, ['code']]);
    },
  );

  it('is replaced by a recovery code, once, however it is typed', async () => {
    const { username, recovery } = await protectedMember();
    const [first = '', second = ''] = recovery;
    expect((await signIn(username, first.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    expect((await signIn(username, first)).json).toEqual(wrong);
    expect((await signIn(username, second)).status).toBe(200);
  });

  it('is asked for by sessions, too, and turned off by the password', async () => {
    const { token, username, secret } = await protectedMember();
    const start = (more: object = {}) =>
      app.request('POST', '/api/v1/auth/session', { body: { username, password: PASSWORD, ...more } });
    expect((await start()).json).toEqual(required);
    expect((await start({ code: codeOf(secret) })).status).toBe(200);
    expect((await post(token, '/disable', { password: 'wrong' })).status).toBe(400);
    expect((await post(token, '/disable', { password: PASSWORD })).status).toBe(204);
    expect((await start()).status).toBe(200);
    const stored = await app.services.models.accounts.findOne({ username }).lean();
    expect(stored).not.toHaveProperty('totp_sealed');
    expect(stored).not.toHaveProperty('recovery_hashes');
  });

  it.each([true, false])(
    'goes along, and no other, when the founding member hands its place over',
    async (has) => {
      // The one that leaves has a second factor of its own.
      const { token, id } = await protectedMember();
      const body = { email: `${id}@example.com`, role: 'owner' };
      const invited = (await app.request('POST', '/api/v1/members/', { token, body })).json;
      const username = `heir-${id}`;
      await app.request('POST', '/api/v1/auth/accept-invitation', {
        body: {
          username,
          password: PASSWORD,
          password2: PASSWORD,
          token: invited.invite_url.split('=')[1],
        },
      });
      const { token: own } = (await signIn(username)).json;
      const { secret } = (await post(own, '', { password: PASSWORD })).json;
      if (has) await post(own, '/confirm', { code: codeOf(secret, -1) });
      await app.request('DELETE', `/api/v1/members/${id}/`, { token: own });
      if (!has) return expect((await signIn(username)).json).toEqual({ token: own });
      expect((await signIn(username)).json).toEqual(required);
      expect((await signIn(username, codeOf(secret))).status).toBe(200);
    },
  );
});

describe('codes', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  // RFC 6238, appendix B, for SHA-1: the last 6 of its 8 digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ])('at %i s are those of RFC 6238', async (seconds, code) => {
    vi.useFakeTimers({ toFake: ['Date'], now: seconds * 1_000 });
    const secrets = new Secrets('a secret key for the tests only, 40 long');
    const member = { _id: 'm', account: 'a', isFounder: false } as Member;
    const secret = Secret.fromUTF8('12345678901234567890').base32;
    member.totp_pending_sealed = secrets.encrypt(secret, memberPlace(member, 'totp_pending_sealed'));
    member.totp_pending_at = new Date();
    const changes: unknown[] = [];
    const store = {
      change: async (_a: string, _u: string, decide: (current: Member) => unknown) =>
        changes.push(decide(member)),
    };
    await new SecondFactor(store as never, secrets).confirm(member as never, code);
    expect(changes).toEqual([expect.objectContaining({ totp_step: Math.floor(seconds / 30) })]);
  });
});

describe('an account that requires a second factor', () => {
  const account = (method: string, token: string, body?: object) =>
    app.request(method, '/api/v1/account/', { token, ...(body && { body }) });

  it('is made so by an owner who has one', async () => {
    const { token } = await app.account();
    expect((await account('GET', token)).json).toMatchObject({ requires_totp: false });
    expect((await account('PATCH', token, { requires_totp: true })).json).toEqual({
      requires_totp: ['Set up a second factor of your own first.'],
    });
    const owner = await protectedMember();
    const admin = await member(owner.token, 'admin');
    expect((await account('PATCH', admin.token, { requires_totp: true })).status).toBe(403);
    expect((await account('PATCH', owner.token, { requires_totp: true })).json).toMatchObject({
      uuid: owner.id,
      requires_totp: true,
    });
    expect((await account('GET', admin.token)).json.requires_totp).toBe(true);
    expect((await post(owner.token, '/disable', { password: PASSWORD })).status).toBe(409);
  });

  it('leads a session through it, and hands out no token before', async () => {
    const owner = await protectedMember();
    const { username } = await member(owner.token, 'operator');
    await account('PATCH', owner.token, { requires_totp: true });
    const first = { detail: 'Your account asks for a second factor: set it up first, in a session.' };
    expect((await signIn(username)).json).toEqual(first);
    const session = await app.request('POST', '/api/v1/auth/session', {
      body: { username, password: PASSWORD },
    });
    expect(session.json).toMatchObject({ username, has_totp: false });
    const headers = {
      cookie: String(session.headers['set-cookie']).split(';')[0] ?? '',
      origin: PUBLIC_URL,
    };
    const call = (method: string, path: string, body?: object) =>
      app.request(method, `/api/v1/${path}`, { headers, ...(body && { body }) });
    expect((await call('GET', 'rooms/')).json).toEqual(first);
    expect((await call('PATCH', 'members/me/', { name: 'Grace' })).json).toEqual(first);
    expect((await call('GET', 'auth/session')).status).toBe(200);
    expect((await call('GET', 'account/')).json.requires_totp).toBe(true);
    const { secret } = (await call('POST', 'auth/totp', { password: PASSWORD })).json;
    expect((await call('POST', 'auth/totp/confirm', { code: codeOf(secret) })).status).toBe(200);
    expect((await call('GET', 'rooms/')).status).toBe(200);
    expect((await signIn(username, codeOf(secret, 1))).status).toBe(200);
  });
});
