import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

/** A page of another site has the browsers of an office ask for what only this server's own pages and programs do. */

const PUBLIC_URL = 'https://chat.example.com';
const PASSWORD = 'a long enough secret';
const app = testApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_REGISTER: '4',
  RATE_LIMIT_SIGN_IN: '4',
  RATE_LIMIT_PASSWORD_RESET: '4',
  RATE_LIMIT_UNKNOWN: '4',
  TRUST_PROXY: '1',
  PUBLIC_URL,
  REGISTRATION: 'open',
});

let addresses = 0;
const nextAddress = () => `198.51.100.${++addresses}`;
const post = (path: string, address: string, headers: Record<string, string>, body?: unknown) =>
  app.request('POST', `/api/v1/auth/${path}`, { body, headers: { 'x-forwarded-for': address, ...headers } });

/** What browsers send for a page without asking first. */
const EVIL = { origin: 'https://evil.example' };
const CROSS_SITE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
const SIMPLE: [Record<string, string>, string?][] = [
  [{ ...EVIL, ...CROSS_SITE, 'content-type': 'text/plain' }, 'x'],
  [{ ...EVIL, 'content-type': 'text/plain;charset=UTF-8' }, '{}'],
  [{ ...EVIL, 'content-type': 'application/x-www-form-urlencoded' }, 'username=ada'],
  [{ ...EVIL, ...CROSS_SITE }],
  [{ origin: 'null', ...CROSS_SITE }],
  [{ origin: 'https://shop.example.com', 'sec-fetch-site': 'same-site', 'content-type': 'text/plain' }, 'x'],
  [{ ...CROSS_SITE, 'content-type': 'text/plain' }, 'x'],
];

describe.each([
  ['session', 'sign-in'],
  ['welcome', 'sign-in'],
  ['api-token', 'sign-in'],
  ['oidc/code', 'sign-in'],
  ['password-reset/confirm', 'sign-in'],
  ['password-reset', 'password-reset'],
  ['register', 'register'],
  ['accept-invitation', 'register'],
])('%s', (path, group) => {
  it('is refused to pages of other sites, and takes nothing of what their visitors may try', async () => {
    const address = nextAddress();
    for (const [headers, body] of SIMPLE) {
      const answer = await post(path, address, headers, body);
      expect([answer.status, answer.json]).toEqual([
        403,
        { detail: 'Browsers do this from pages of this server only.' },
      ]);
      expect(answer.headers.ratelimit).toBeUndefined();
    }
    const own = await post(path, address, { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }, {});
    expect(own.headers.ratelimit).toMatch(new RegExp(`^"${group}";r=3;`));
    // Of what names no page each counts, also what is refused.
    const statuses = [];
    for (let n = 0; n < 4; n++) {
      statuses.push((await post(path, address, { 'content-type': 'text/plain' }, 'x')).status);
    }
    expect(statuses).toEqual([415, 415, 415, 429]);
  });
});

it.each(['session', 'welcome', 'oidc/code'])(
  '%s signs nobody in for another page, as JSON either',
  async (path) => {
    const address = nextAddress();
    for (let n = 0; n < 6; n++) expect((await post(path, address, EVIL, {})).status).toBe(403);
    expect((await post(path, address, { origin: PUBLIC_URL }, {})).headers.ratelimit).toMatch(
      /^"sign-in";r=3;/,
    );
  },
);

it('a program behind a proxy that leaves Origin as it was gets its token', async () => {
  const { username } = await app.account();
  const headers = { origin: 'https://console.example.net', 'sec-fetch-site': 'same-origin' };
  const answer = await post('api-token', nextAddress(), headers, { username, password: PASSWORD });
  expect([answer.status, answer.json.token]).toEqual([200, expect.any(String)]);
});

it.each(['cross-site', 'same-site'])('a page that is %s reads nothing by a session either', async (site) => {
  const { username } = await app.account();
  const signedIn = await post(
    'session',
    nextAddress(),
    { origin: PUBLIC_URL },
    { username, password: PASSWORD },
  );
  const cookie = [signedIn.headers['set-cookie']]
    .flat()
    .map((one = '') => one.split(';')[0])
    .join('; ');
  const read = (headers: Record<string, string>) =>
    app.request('GET', '/api/v1/account/export/', { headers: { cookie, ...headers } });
  expect((await read({ 'sec-fetch-site': site })).status).toBe(403);
  for (const own of [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}]) {
    expect((await read(own as Record<string, string>)).status).toBe(200);
  }
});
