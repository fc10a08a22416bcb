import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CookieBrowser } from './cookie-browser.ts';
import {
  askFrom,
  introduce,
  refusal,
  START,
  signInAt,
  startWithProvider,
  target,
  whoIs,
} from './oidc-parts.ts';
import { CALLBACK, startOidcProvider } from './oidc-provider.ts';
import { operationFor, typeFaults } from './openapi.ts';
import { caller, owner } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';

/** The browser's way back from the provider: once, where it began, and to nowhere else. */

type Started = Awaited<ReturnType<typeof startWithProvider>>;
let server: Started['server'];
let provider: Started['provider'];
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  ({ server, provider } = await startWithProvider({}, (end) => void ends.unshift(end)));
  await owner(server.url);
  introduce(provider, 'ada');
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** Signs in at the provider, and does not go back to Parlor yet. @returns where it would go */
const comeBack = async (
  browser = new CookieBrowser(),
  {
    url,
    PUBLIC_URL = url,
    at = provider,
  }: { url: string; PUBLIC_URL?: string; at?: typeof provider } = server,
): Promise<string> => {
  browser.stopAt = `${PUBLIC_URL}${CALLBACK}?`;
  const page = await signInAt(at, browser, { url }, 'ada');
  browser.stopAt = undefined;
  return page.headers.get('Location') ?? '';
};

describe('the way back', () => {
  const changed = (address: string, change: (query: URLSearchParams) => void): string => {
    const url = new URL(address);
    change(url.searchParams);
    return url.href;
  };

  it('is for the browser that has begun', async () => {
    // Somebody makes another one sign in as himself.
    const address = await comeBack();
    const victim = new CookieBrowser();
    expect(refusal(await victim.visit(address))).toEqual([400, 'not_begun_here']);
    // Also one that has begun something itself.
    await comeBack(victim);
    expect(refusal(await victim.visit(address))).toEqual([400, 'not_begun_here']);
    expect(victim.cookies.has('parlor')).toBe(false);
  });

  it('is gone once', async () => {
    const browser = new CookieBrowser();
    const address = await comeBack(browser);
    const begun = browser.cookies.get('parlor-oidc') ?? '';
    expect((await browser.visit(address)).status).toBe(200);
    expect(refusal(await browser.visit(address))).toEqual([400, 'not_begun_here']);
    // Nor by who kept the cookie.
    const copy = new CookieBrowser();
    copy.cookies.set('parlor-oidc', begun);
    expect(refusal(await copy.visit(address))).toEqual([400, 'not_begun_here']);
    expect(copy.cookies.has('parlor')).toBe(false);
  });

  it('of another sign-in of the same browser is none: the last one counts', async () => {
    const browser = new CookieBrowser();
    const first = await comeBack(browser);
    const second = await comeBack(browser);
    expect(refusal(await browser.visit(first))).toEqual([400, 'not_begun_here']);
    expect((await browser.visit(second)).status).toBe(200);
    expect(await whoIs(browser, server)).toMatchObject({ username: 'ada' });
  });

  it('is not made up', async () => {
    const state = 'x'.repeat(43);
    for (const query of [
      '',
      `?code=a&state=${state}`,
      `?state=${state}`,
      '?code=a',
      '?error=access_denied',
    ]) {
      const page = await new CookieBrowser().visit(`${server.url}${CALLBACK}${query}`);
      expect(refusal(page)).toEqual([400, 'not_begun_here']);
    }
    for (const cookie of ['x', 'v2.a.b', `v1.${'A'.repeat(16)}.${'A'.repeat(300)}`]) {
      const browser = new CookieBrowser();
      browser.cookies.set('parlor-oidc', cookie);
      const page = await browser.visit(`${server.url}${CALLBACK}?code=a&state=${state}`);
      expect(refusal(page)).toEqual([400, 'not_begun_here']);
    }
  });

  it.each<[string, [number, string], (query: URLSearchParams) => void]>([
    ['another state', [400, 'not_begun_here'], (query) => query.set('state', 'x'.repeat(43))],
    ['two states', [400, 'not_begun_here'], (query) => query.append('state', query.get('state') ?? '')],
    ['another code', [403, 'answer_not_accepted'], (query) => query.set('code', 'x'.repeat(43))],
    ['two codes', [403, 'answer_not_accepted'], (query) => query.append('code', 'x')],
    ['no code', [403, 'answer_not_accepted'], (query) => query.delete('code')],
    // RFC 9207: the answer of another provider, mixed up with this one's.
    ['another issuer', [403, 'answer_not_accepted'], (query) => query.set('iss', 'https://other.example')],
    ['no issuer', [403, 'answer_not_accepted'], (query) => query.delete('iss')],
    ['a token in it', [403, 'answer_not_accepted'], (query) => query.set('id_token', 'a.b.c')],
    ['an error', [403, 'refused_by_provider'], (query) => query.set('error', 'access_denied')],
    ['an error of 10 kB', [403, 'refused_by_provider'], (query) => query.set('error', 'x'.repeat(10_000))],
  ])('with %s signs nobody in', async (_, expected, change) => {
    const browser = new CookieBrowser();
    const page = await browser.visit(changed(await comeBack(browser), change));
    expect(refusal(page)).toEqual(expected);
    expect(browser.cookies.has('parlor')).toBe(false);
  });

  it('says in JSON why nobody was signed in, where that is asked for', async () => {
    const answer = await fetch(`${server.url}${CALLBACK}?code=a&state=b`, {
      headers: { Accept: 'application/json' },
    });
    expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([400, ['detail']]);
  });

  it('leads to paths of this server only', async () => {
    for (const wrong of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '\t//evil.example',
      '/./\\evil.example',
      '/.//evil.example',
      '/a/..//evil.example',
      '/%2e//evil.example',
      'javascript:alert(1)',
      'console/',
      '',
      `/${'x'.repeat(1_000)}`,
      // Longer in an address, and in the cookie that keeps it, than browsers take.
      `/${'각'.repeat(223)}`,
    ]) {
      const browser = new CookieBrowser();
      const address = `${server.url}${START}?return_to=${encodeURIComponent(wrong)}`;
      const page = await browser.visit(address);
      expect([wrong, page.status, page.way.length]).toEqual([wrong, 400, 1]);
      expect(browser.cookies.size).toBe(0);
    }
    expect((await fetch(`${server.url}${START}?return_to=/a&return_to=/b`)).status).toBe(400);
    const odd = '/a"><script>alert(1)</script>?b=\'"<&c=;url=//evil.example#"><img>';
    const page = await signInAt(
      provider,
      new CookieBrowser(),
      server,
      'ada',
      `?return_to=${encodeURIComponent(odd)}`,
    );
    expect(target(page)).toBe(
      '/a%22%3E%3Cscript%3Ealert(1)%3C/script%3E?b=%27%22%3C&#38;c=;url=//evil.example#%22%3E%3Cimg%3E',
    );
    expect(page.text).not.toContain('<script');
  });
});

describe('two servers behind one address', () => {
  it('sign in once by one way back', async () => {
    const PUBLIC_URL = 'http://chat.example.com';
    const shared = await startOidcProvider();
    introduce(shared, 'ada');
    shared.admit(PUBLIC_URL);
    const env = { ...(await sharedSettings()), RATE_LIMIT: 'off', ...shared.settings, PUBLIC_URL };
    const servers = [await startServerProcess(env), await startServerProcess(env)] as const;
    await owner(servers[0].url);
    const browser = new CookieBrowser();
    const { search } = new URL(await comeBack(browser, { url: servers[0].url, PUBLIC_URL, at: shared }));
    const copies = Array.from({ length: 8 }, (_, index) => {
      const copy = new CookieBrowser();
      copy.cookies.set('parlor-oidc', browser.cookies.get('parlor-oidc') ?? '');
      return copy.visit(`${servers[(index % 2) as 0 | 1].url}${CALLBACK}${search}`);
    });
    const statuses = (await Promise.all(copies)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(7).fill(400)]);
    expect(shared.asked.get('/token')).toBe(1);
  });
});

it('counts sign-ins by address, and codes as passwords', async () => {
  const limited = await startWithProvider({
    RATE_LIMIT: 'on',
    RATE_LIMIT_OIDC: '3',
    RATE_LIMIT_SIGN_IN: '1',
    RATE_LIMIT_UNKNOWN: '5',
  });
  const { url } = limited.server;
  const undescribed = (path: string, { status, headers }: Response) => {
    const operation = operationFor('GET', path) ?? expect.fail();
    return typeFaults(operation, status, headers.get('Content-Type'));
  };
  const shown = (dest: string) =>
    fetch(`${url}${START}`, { redirect: 'manual', headers: { Accept: '*/*', 'Sec-Fetch-Dest': dest } });
  for (const dest of ['image', 'empty', 'iframe', 'embed']) {
    const refused = await shown(dest);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { detail: 'You do not have permission to perform this action.' },
    ]);
    expect(refused.headers.get('RateLimit')).toBeNull();
    expect(undescribed(START, refused)).toEqual([]);
  }
  const start = () => fetch(`${url}${START}`, { redirect: 'manual', headers: { Accept: 'text/html' } });
  const answers = [await shown('document'), await start(), await start(), await start()];
  expect(answers.map(({ status }) => status)).toEqual([302, 302, 302, 429]);
  expect(answers[3]?.headers.get('Retry-After')).toMatch(/^\d+$/);
  expect(await answers[3]?.text()).toContain('<h1>You are not signed in</h1>');
  expect(answers[3] && undescribed(START, answers[3])).toEqual([]);
  // Passwords and codes have a budget of their own.
  const code = async () => (await caller(url)('POST', '/api/v1/auth/oidc/code', { code: '000000' })).status;
  expect([await code(), await code()]).toEqual([400, 429]);
  const state = new URL(answers[0]?.headers.get('Location') ?? '').searchParams.get('state');
  const [begun = ''] = answers[0]?.headers.getSetCookie() ?? [];
  const comesBack = async (query: string, cookie = '') => {
    const back = await fetch(`${url}${CALLBACK}?code=a&state=${query}`, { headers: { Cookie: cookie } });
    expect(undescribed(CALLBACK, back)).toEqual([]);
    return back.status;
  };
  const statuses = [];
  // What was not begun counts, and what was used.
  for (let n = 0; n < 2; n++) statuses.push(await comesBack('b'));
  for (let n = 0; n < 5; n++) statuses.push(await comesBack(`${state}`, begun.split(';', 1)[0]));
  for (let n = 0; n < 2; n++) statuses.push(await comesBack('b'));
  expect(statuses).toEqual([400, 400, 403, 400, 400, 400, 429, 429, 429]);
});

it('takes the code of a known browser while others guess at the password', async () => {
  const limited = await startWithProvider({
    RATE_LIMIT: 'on',
    RATE_LIMIT_SIGN_IN: '100',
    RATE_LIMIT_WRONG_PASSWORDS: '2',
  });
  const { url } = limited.server;
  const { rest } = await owner(url);
  introduce(limited.provider, 'ada');
  const ask = askFrom(() => url);
  const credentials = { username: 'ada', password: 'a long enough secret' };
  const known = new CookieBrowser();
  const begun = await ask(known, 'POST', '/api/v1/auth/session', credentials);
  const [, device = ''] = /parlor-device=([^;]+)/.exec(begun.cookies.join('\n')) ?? [];
  known.cookies.set('parlor-device', device);
  const { secret } = (await rest('POST', '/api/v1/auth/totp', credentials)).json;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const { recovery_codes } = (await rest('POST', '/api/v1/auth/totp/confirm', { code })).json;

  const guess = async () =>
    (await caller(url)('POST', '/api/v1/auth/api-token', { ...credentials, password: 'a guess' })).status;
  expect([await guess(), await guess(), await guess()]).toEqual([400, 400, 429]);
  const enter = async (browser: CookieBrowser) => {
    await signInAt(limited.provider, browser, limited.server, 'ada');
    return (await ask(browser, 'POST', '/api/v1/auth/oidc/code', { code: recovery_codes.pop() })).status;
  };
  expect(await enter(new CookieBrowser())).toBe(429);
  expect(await enter(known)).toBe(200);
});
