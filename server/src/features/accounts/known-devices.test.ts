import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { expect, it } from 'vitest';
import { type Answer, testApp } from '../../../test/app.ts';

/** Who shares the address of somebody and guesses at its password, or at any, does not lock its browser out. */

const PUBLIC_URL = 'https://chat.example.com';
const PASSWORD = 'a long enough secret';
const app = testApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_REGISTER: '1000',
  RATE_LIMIT_SIGN_IN: '12',
  RATE_LIMIT_WRONG_PASSWORDS_NAME: '6',
  TRUST_PROXY: '1',
  PUBLIC_URL,
  REGISTRATION: 'open',
});

const SHARED = '198.51.100.1';
const signIn = (username: string, password: string, cookie = '', address = SHARED) =>
  app.request('POST', '/api/v1/auth/session', {
    body: { username, password },
    headers: { origin: PUBLIC_URL, cookie, 'x-forwarded-for': address },
  });
const linesOf = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat();
const deviceOf = (answer: Answer): string =>
  linesOf(answer)
    .find((line) => line.startsWith('__Host-parlor-device='))
    ?.split(';')[0] ?? '';
const times = async (count: number, ask: () => Promise<Answer>) => {
  const statuses = [];
  for (let n = 0; n < count; n++) statuses.push((await ask()).status);
  return statuses;
};

/** An account that was made at an address, which has its own limits. */
const account = async (address: string) => {
  const username = `user-${randomUUID().slice(0, 8)}`;
  const ask = (path: string, body: object) =>
    app.request('POST', `/api/v1/auth/${path}`, { body, headers: { 'x-forwarded-for': address } });
  const given = { username, email: `${username}@example.com`, password: PASSWORD, password2: PASSWORD };
  expect((await ask('register', given)).status).toBe(201);
  const { json } = await ask('api-token', { username, password: PASSWORD });
  return { username, token: json.token as string };
};

let addresses = 0;
/** A member's browser at an address of its own, which it has signed in from once. */
const browser = async () => {
  const address = `203.0.113.${++addresses}`;
  const { username, token } = await account(`198.18.0.${addresses}`);
  const answer = await signIn(username, PASSWORD, '', address);
  expect([answer.status, deviceOf(answer)]).toEqual([200, expect.stringMatching(/=./)]);
  return { address, username, token, answer, device: deviceOf(answer) };
};

it('is told by a cookie of its own, which opens nothing', async () => {
  const { username, answer, device } = await browser();
  const flags = linesOf(answer)[1]?.toLowerCase().split('; ').slice(1).sort();
  expect(flags).toEqual([
    expect.stringMatching(/^expires=/),
    'httponly',
    'path=/',
    'samesite=strict',
    'secure',
  ]);
  expect(device).not.toContain(username);
  const asked = await app.request('GET', '/api/v1/rooms/', { headers: { cookie: device } });
  expect(asked.status).toBe(401);
  // It stays the same, so that nobody gets further tries by signing in.
  expect(deviceOf(await signIn(username, PASSWORD, device))).toBe(device);
});

it('signs in while others guess from the same address', async () => {
  const { address, username, device } = await browser();
  expect(await times(6, () => signIn(username, 'a guess', '', address))).toEqual([
    400, 400, 400, 400, 400, 429,
  ]);
  expect((await signIn(username, PASSWORD, '', address)).status).toBe(429);
  expect((await signIn(username, PASSWORD, device, address)).status).toBe(200);
  // Its own guesses are five, too.
  expect(await times(6, () => signIn(username, 'a guess', device, address))).toEqual([
    400, 400, 400, 400, 400, 429,
  ]);
  expect((await signIn(username, PASSWORD, device, address)).status).toBe(429);
});

it('signs in while others use up what an address may try', async () => {
  const { address, username, device } = await browser();
  await times(14, () => signIn('nobody', 'a guess', '', address));
  const answer = await signIn(username, PASSWORD, '', address);
  expect([answer.status, answer.headers.ratelimit]).toEqual([429, expect.stringMatching(/^"sign-in";r=0;/)]);
  expect((await signIn(username, PASSWORD, device, address)).status).toBe(200);
  // What it may try is bounded by itself, and for its own name alone.
  expect((await signIn('nobody', 'a guess', device, address)).status).toBe(429);
  const own = await times(13, () => signIn(username, PASSWORD, device, address));
  expect(own).toEqual([...Array(11).fill(200), 429, 429]);
});

it('signs in while others who share its address have a cookie of it that has ended, or another browser', async () => {
  const { address, username, token, device: ended } = await browser();
  const password = 'another long secret';
  const change = { old_password: PASSWORD, password, password2: password };
  expect((await app.request('POST', '/api/v1/auth/password', { token, body: change })).status).toBe(204);
  const device = deviceOf(await signIn(username, password, '', '203.0.113.251'));
  const other = deviceOf(await signIn(username, password, '', '203.0.113.252'));
  await times(14, () => signIn('nobody', 'a guess', '', address));
  // Counted before it is read any further, which costs no look at a password.
  const ask = (cookie: string) => signIn(username, '', cookie, address);
  expect((await ask(ended)).headers.ratelimit).toMatch(/^"sign-in";r=0;[^,]*$/);
  expect(await times(13, () => ask(other))).toEqual([...Array(12).fill(400), 429]);
  expect((await signIn(username, password, device, address)).status).toBe(200);
});

it('has a share of what all browsers of its member may try', async () => {
  const { address, username, device } = await browser();
  const others = [];
  for (let n = 0; n < 8; n++)
    others.push(deviceOf(await signIn(username, PASSWORD, '', `203.0.113.${230 + n}`)));
  await times(14, () => signIn('nobody', 'a guess', '', address));
  for (const other of others) await times(12, () => signIn(username, '', other, address));
  expect((await signIn(username, PASSWORD, device, address)).status).toBe(429);
});

it('signs in from an address that is new to it while others guess from everywhere', async () => {
  const { username, device } = await browser();
  for (let n = 1; n < 9; n++) await signIn(username, 'a guess', '', `192.0.2.${n}`);
  expect((await signIn(username, PASSWORD, '', '192.0.2.100')).status).toBe(429);
  expect((await signIn(username, PASSWORD, device, '192.0.2.101')).status).toBe(200);
});

it('has five guesses a minute from all addresses together', async () => {
  const { username, device } = await browser();
  let guesses = 0;
  const guess = () => signIn(username, 'a guess', device, `192.0.2.${110 + ++guesses}`);
  expect(await times(6, guess)).toEqual([400, 400, 400, 400, 400, 429]);
  // Where it is known by its address, too, that counts.
  expect((await signIn(username, PASSWORD, device, '192.0.2.110')).status).toBe(429);
});

it.each<[string, (device: string) => string]>([
  ['changed', (device) => `${device.slice(0, -1)}${device.endsWith('0') ? '1' : '0'}`],
  ['cut', (device) => device.slice(0, -1)],
  ['made up', () => '__Host-parlor-device=a.b.c'],
  ['empty', () => '__Host-parlor-device='],
])('is nothing when its cookie was %s', async (_, change) => {
  const { address, username, device } = await browser();
  await times(5, () => signIn(username, 'a guess', '', address));
  expect((await signIn(username, PASSWORD, change(device), address)).status).toBe(429);
});

it('is good from the first sign-in on, also where that makes the hash of the password anew', async () => {
  const username = 'grace';
  const body = { username, email: 'grace@example.com', password: PASSWORD, password2: PASSWORD };
  expect((await app.request('POST', '/api/v1/auth/register', { body })).status).toBe(201);
  const weaker = await hash(PASSWORD, { memoryCost: 1_024 });
  await app.services.models.accounts.updateOne({ username_key: username }, { password: weaker });
  const device = deviceOf(await signIn(username, PASSWORD, '', '203.0.113.249'));
  await times(5, () => signIn(username, 'a guess'));
  expect((await signIn(username, PASSWORD)).status).toBe(429);
  expect((await signIn(username, PASSWORD, device)).status).toBe(200);
});

it('is nothing for another member', async () => {
  const [one, other] = [await browser(), await browser()];
  await times(5, () => signIn(one.username, 'a guess', '', one.address));
  expect((await signIn(one.username, PASSWORD, other.device, one.address)).status).toBe(429);
});

it('ends with another password', async () => {
  const { address, username, token, device } = await browser();
  const password = 'another long secret';
  const changed = await app.request('POST', '/api/v1/auth/password', {
    token,
    body: { old_password: PASSWORD, password, password2: password },
  });
  // A program is no browser, and is given none.
  expect([changed.status, linesOf(changed)]).toEqual([204, []]);
  await times(5, () => signIn(username, 'a guess', '', address));
  expect((await signIn(username, password, device, address)).status).toBe(429);
  const elsewhere = deviceOf(await signIn(username, password, device, '203.0.113.250'));
  expect(elsewhere).not.toBe(device);
  expect((await signIn(username, password, elsewhere, address)).status).toBe(200);
});

const sessionOf = (answer: Answer): string => linesOf(answer)[0]?.split(';')[0] ?? '';
const ask = (path: string, body: object, cookie: string, address = `192.0.2.${200 + ++asked}`) =>
  app.request('POST', `/api/v1/${path}`, {
    body,
    headers: { origin: PUBLIC_URL, cookie, 'x-forwarded-for': address },
  });
let asked = 0;

it('shows its password at an address that is new to it while others guess from everywhere', async () => {
  const { username, answer, device } = await browser();
  for (let n = 1; n < 9; n++) await signIn(username, 'a guess', '', `192.0.2.${n}`);
  const session = sessionOf(answer);
  const known = `${session}; ${device}`;
  const password = 'another long secret';
  const change = { old_password: PASSWORD, password, password2: password };
  expect((await ask('auth/totp', { password: PASSWORD }, session)).status).toBe(429);
  expect((await ask('auth/password', change, session)).status).toBe(429);
  expect((await ask('account/delete/', { username, password: PASSWORD }, session)).status).toBe(429);
  expect((await ask('auth/totp', { password: PASSWORD }, known)).status).toBe(200);
  expect((await ask('auth/totp/disable', { password: PASSWORD }, known)).status).toBe(204);
  // Its guesses are bounded, from wherever they come.
  const guesses = await times(6, () => ask('auth/totp', { password: 'a guess' }, known));
  expect(guesses).toEqual([400, 400, 400, 400, 400, 429]);
});

it('stays known with the password that it has chosen', async () => {
  const { username, answer, device } = await browser();
  const session = sessionOf(answer);
  for (let n = 1; n < 9; n++) await signIn(username, 'a guess', '', `192.0.2.${n}`);
  const password = 'another long secret';
  const change = { old_password: PASSWORD, password, password2: password };
  const changed = await ask('auth/password', change, `${session}; ${device}`);
  expect([changed.status, linesOf(changed)]).toEqual([204, [expect.stringContaining('; httponly')]]);
  const next = deviceOf(changed);
  expect(next).not.toBe(device);
  expect((await signIn(username, password, device, '192.0.2.190')).status).toBe(429);
  expect((await signIn(username, password, next, '192.0.2.191')).status).toBe(200);
  expect((await ask('account/delete/', { username, password }, `${session}; ${next}`)).status).toBe(204);
});
