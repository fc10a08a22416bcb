import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, testApp } from '../../../test/app.ts';
import type { ActiveMember } from './member.ts';

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL, REGISTRATION: 'open' });
const PASSWORD = 'a long enough secret';
const PATH = '/api/v1/auth/session';
const HOURS = 3_600_000;

let username = '';
let token = '';
let id = '';
beforeAll(async () => {
  ({ username, token, id } = await app.account());
});

const signIn = (more: object = {}, headers: Record<string, string> = {}) =>
  app.request('POST', PATH, {
    body: { username, password: PASSWORD, ...more },
    headers: { origin: PUBLIC_URL, ...headers },
  });
const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie']).split(';', 1)[0] ?? '';
const ask = (cookie: string, method = 'GET', path = PATH, more: object = {}) =>
  app.request(method, path, { headers: { cookie, origin: PUBLIC_URL }, ...more });
const stored = () => app.services.models.memberSessions;
const endsAt = async (cookie: string, field: object) => {
  const [session] = (await ask(cookie, 'GET', '/api/v1/auth/sessions/')).json.filter(
    (one: { is_current: boolean }) => one.is_current,
  );
  await stored().updateOne({ uuid: session.uuid }, { $set: field });
};

describe('a session', () => {
  it('is begun by a cookie that scripts and other sites can’t use, and opens what a token opens', async () => {
    const answer = await signIn();
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ uuid: id, username, role: 'owner' });
    expect(answer.headers['cache-control']).toBe('no-store');
    const [line = ''] = [answer.headers['set-cookie'] ?? []].flat();
    const [pair = '', ...flags] = line.split('; ');
    expect(pair).toMatch(/^__Host-parlor=[\w-]{43}$/);
    expect(flags.map((flag) => flag.toLowerCase()).sort()).toEqual([
      expect.stringMatching(/^expires=/),
      'httponly',
      'path=/',
      'samesite=strict',
      'secure',
    ]);
    expect((await ask(pair)).json).toMatchObject({ uuid: id });
    expect((await ask(pair, 'GET', '/api/v1/rooms/')).status).toBe(200);
    expect((await ask(pair, 'POST', '/api/v1/rooms/', { body: {} })).status).toBe(201);
    expect((await ask(pair, 'GET', '/api/v1/widgets/')).json).toHaveLength(1);
    // Of its secret the database has a hash.
    expect(JSON.stringify(await stored().find().lean())).not.toContain(pair.split('=')[1]);
  });

  it('is not begun by a wrong password', async () => {
    const answer = await signIn({ password: 'another secret' });
    expect([answer.status, answer.json, answer.headers['set-cookie']]).toEqual([
      400,
      { non_field_errors: ['Unable to log in with provided credentials.'] },
      undefined,
    ]);
  });

  it.each([
    'https://evil.example',
    'null',
    'http://chat.example.com',
    'https://chat.example.com.evil.test',
    '',
  ])('changes nothing for the origin "%s"', async (origin) => {
    const cookie = cookieOf(await signIn());
    const headers = { cookie, ...(origin !== '' && { origin }) };
    for (const [method, path] of [
      ['POST', '/api/v1/rooms/'],
      ['PATCH', '/api/v1/members/me/'],
      ['DELETE', PATH],
    ] as const) {
      const answer = await app.request(method, path, { headers, ...(method !== 'DELETE' && { body: {} }) });
      expect([method, answer.status]).toEqual([method, 403]);
    }
    expect((await app.request('GET', PATH, { headers })).status).toBe(200);
    // A program that sends none signs in, and changes nothing afterwards.
    const begun = await app.request('POST', PATH, {
      body: { username, password: PASSWORD },
      headers: origin === '' ? {} : { origin },
    });
    expect(begun.status).toBe(origin === '' ? 200 : 403);
  });

  it('does nothing for the page of another member, which has it in its browser by now', async () => {
    const cookie = cookieOf(await signIn());
    const other = await app.account();
    const asPageOf = (member: string, method: string, path: string, more: object = {}) =>
      app.request(method, path, {
        headers: { cookie, origin: PUBLIC_URL, 'parlor-member': member },
        ...more,
      });
    const before = (await asPageOf(id, 'GET', PATH)).json;
    for (const [method, path, more] of [
      ['GET', '/api/v1/rooms/'],
      ['PATCH', '/api/v1/members/me/', { body: { name: 'Somebody else' } }],
      ['DELETE', PATH],
    ] as const) {
      const answer = await asPageOf(other.id, method, path, more);
      expect([method, answer.status, answer.json]).toEqual([
        method,
        403,
        { detail: 'Somebody else has signed in in this browser. Load the page again.' },
      ]);
    }
    // When it was seen last is written down a moment later.
    const { seen_at: _, ...own } = before;
    expect(await asPageOf(id.toUpperCase(), 'GET', PATH)).toMatchObject({ status: 200, json: own });
    // A token names its member itself.
    const headers = { 'parlor-member': other.id };
    expect((await app.request('GET', PATH, { token, headers })).status).toBe(200);
  });

  it('gives way to an Authorization, also a wrong one', async () => {
    const cookie = cookieOf(await signIn());
    const headers = { cookie, authorization: `Token ${'0'.repeat(40)}` };
    expect((await app.request('GET', PATH, { headers })).status).toBe(401);
  });

  it('is another one after each sign-in, and the one before is over', async () => {
    const first = cookieOf(await signIn());
    const second = cookieOf(await signIn({}, { cookie: first }));
    expect(second).not.toBe(first);
    expect((await ask(first)).status).toBe(401);
    expect((await ask(second)).status).toBe(200);
    // Nobody chooses it for somebody else.
    const fixed = `__Host-parlor=${'x'.repeat(43)}`;
    expect(cookieOf(await signIn({}, { cookie: fixed }))).not.toBe(fixed);
  });

  it('ends by signing out, for whoever has copied it, too', async () => {
    const cookie = cookieOf(await signIn());
    const answer = await ask(cookie, 'DELETE');
    expect(answer.status).toBe(204);
    expect(cookieOf(answer)).toBe('__Host-parlor=');
    expect((await ask(cookie)).json).toEqual({ detail: 'The session has ended. Sign in again.' });
    expect((await app.request('DELETE', PATH, { token })).status).toBe(204);
    expect((await app.request('GET', PATH, { token })).status).toBe(200);
  });

  it('ends by signing out in several pages at once', async () => {
    const cookie = cookieOf(await signIn());
    const answers = await Promise.all([ask(cookie, 'DELETE'), ask(cookie, 'DELETE'), ask(cookie, 'DELETE')]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(answers.map(cookieOf)).toEqual(Array(3).fill('__Host-parlor='));
  });

  it('ends after 14 days without a request, and after 90 days', async () => {
    const cookie = cookieOf(await signIn());
    await endsAt(cookie, { seen_at: new Date(Date.now() - 2 * HOURS) });
    await ask(cookie);
    const [fresh] = await stored().find({ member: id }).sort({ seen_at: -1 }).limit(1).lean();
    const idle = (fresh?.expires_at.getTime() ?? 0) - Date.now();
    expect(Math.abs(idle - 14 * 24 * HOURS)).toBeLessThan(HOURS);
    const old = { created_at: new Date(Date.now() - 89 * 24 * HOURS), seen_at: new Date(Date.now() - HOURS) };
    await stored().updateOne({ _id: fresh?._id }, { $set: old });
    await ask(cookie);
    const last = await stored().findOne({ _id: fresh?._id }).lean();
    expect((last?.expires_at.getTime() ?? 0) - Date.now()).toBeLessThan(25 * HOURS);
    await stored().updateOne({ _id: fresh?._id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect((await ask(cookie)).status).toBe(401);
  });

  it('is listed with its device, and ended from another one', async () => {
    const other = await app.account();
    ({ username } = other);
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
    const there = cookieOf(await signIn({ time_zone: 'Europe/London' }, { 'user-agent': firefox }));
    const here = cookieOf(await signIn());
    const { json: sessions } = await ask(here, 'GET', '/api/v1/auth/sessions/');
    expect(sessions).toMatchObject([
      { is_current: true },
      { is_current: false, device: 'Firefox 145 on Linux, desktop', time_zone: 'Europe/London' },
    ]);
    const path = `/api/v1/auth/sessions/${sessions[1].uuid}/`;
    expect((await app.request('DELETE', path, { token })).status).toBe(404);
    expect((await ask(here, 'DELETE', path)).status).toBe(204);
    expect((await ask(there)).status).toBe(401);
    expect((await ask(here)).status).toBe(200);
  });

  it('is one of 50 at most: the one that was used longest ago ends', async () => {
    const cookies: string[] = [];
    for (let n = 0; n < 52; n++) cookies.push(cookieOf(await signIn()));
    const statuses = await Promise.all(cookies.map(async (cookie) => (await ask(cookie)).status));
    expect(statuses.slice(-50)).toEqual(Array(50).fill(200));
    expect(statuses.slice(0, 2)).toEqual([401, 401]);
  });
});

describe('a password', () => {
  const choose = (cookie: string, body: object) => ask(cookie, 'POST', '/api/v1/auth/password', { body });
  const fresh = { password: 'quite another secret', password2: 'quite another secret' };

  it('is changed with the old one, and all other sessions end', async () => {
    const other = await app.account();
    ({ username } = other);
    const [here, there] = [cookieOf(await signIn()), cookieOf(await signIn())];
    expect((await choose(here, { ...fresh, old_password: 'wrong' })).json).toEqual({
      old_password: ['This is not your password.'],
    });
    const weak = await choose(here, { password: 'password1', password2: 'x', old_password: PASSWORD });
    expect(Object.keys(weak.json)).toEqual(['password', 'password2']);
    expect((await choose(here, { ...fresh, old_password: PASSWORD })).status).toBe(204);
    expect((await ask(here)).status).toBe(200);
    expect((await ask(there)).status).toBe(401);
    expect((await signIn()).status).toBe(400);
    expect((await signIn({ password: fresh.password })).status).toBe(200);
    expect((await app.request('GET', PATH, { token: other.token })).status).toBe(200);
  });

  it('is not changed by an old one that is replaced meanwhile', async () => {
    ({ username } = await app.account());
    const [mine, others] = [cookieOf(await signIn()), cookieOf(await signIn())];
    const by = (cookie: string, password: string) =>
      choose(cookie, { password, password2: password, old_password: PASSWORD });
    const answers = await Promise.all([by(mine, fresh.password), by(others, 'somebody else’s secret')]);
    // By then it is another password's turn, or the session has ended with the one before.
    const statuses = answers.map(({ status }) => status).sort();
    expect([
      [204, 400],
      [204, 401],
    ]).toContainEqual(statuses);
    const kept = answers[0]?.status === 204 ? fresh.password : 'somebody else’s secret';
    expect((await signIn({ password: kept })).status).toBe(200);
  });

  it('that a link has set stays where the one before is changed at that moment', async () => {
    ({ username } = await app.account());
    const cookie = cookieOf(await signIn());
    const member = await app.services.members.byUsername(username);
    await Promise.all([
      choose(cookie, { ...fresh, old_password: PASSWORD }),
      // As the link of a mail does it.
      app.services.credentials.setPassword(member as ActiveMember, 'set by a link of a mail'),
    ]);
    expect((await signIn({ password: 'set by a link of a mail' })).status).toBe(200);
  });

  it('ends the sessions of a member that is removed, and of one whose account is deleted', async () => {
    const owner = await app.account();
    const invited = await app.request('POST', '/api/v1/members/', {
      token: owner.token,
      body: { email: `${owner.username}2@example.com` },
    });
    username = `${owner.username}2`;
    const body = {
      username,
      password: PASSWORD,
      password2: PASSWORD,
      token: invited.json.invite_url.split('=')[1],
    };
    await app.request('POST', '/api/v1/auth/accept-invitation', { body });
    const cookie = cookieOf(await signIn());
    expect((await ask(cookie)).status).toBe(200);
    await app.request('DELETE', `/api/v1/members/${invited.json.uuid}/`, { token: owner.token });
    expect((await ask(cookie)).status).toBe(401);
    expect(await stored().countDocuments({ member: invited.json.uuid })).toBe(0);
  });
});

it('without PUBLIC_URL has a cookie that works over http on this machine, by each of its names', async () => {
  const { SessionCookie } = await import('./session-cookie.ts');
  const cookie = new SessionCookie(() => 'http://127.0.0.1:8080');
  for (const origin of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']) {
    const ctx = { method: 'POST', get: () => origin };
    expect(() => cookie.check(ctx as never)).not.toThrow();
  }
  for (const origin of ['http://localhost:8081', 'https://localhost:8080', 'http://localhost', '']) {
    const ctx = { method: 'POST', get: () => origin };
    expect(() => cookie.check(ctx as never)).toThrow();
  }
});
