import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CookieBrowser } from './cookie-browser.ts';
import {
  askFrom,
  introduce,
  invite,
  refusal,
  START,
  signInAt,
  startWithProvider,
  target,
  whoIs,
} from './oidc-parts.ts';
import { faults, operationFor, typeFaults } from './openapi.ts';
import { caller, owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';

/** Signing in at a real provider (oidc-provider), by a server in a process of its own. */

type Started = Awaited<ReturnType<typeof startWithProvider>>;
let server: Started['server'];
let provider: Started['provider'];
let ada: Awaited<ReturnType<typeof owner>>;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  ({ server, provider } = await startWithProvider({ LOG_LEVEL: 'info' }, (end) => void ends.unshift(end)));
  ada = await owner(server.url);
});
afterAll(async () => {
  for (const end of ends) await end();
});

const signIn = (login: string, browser = new CookieBrowser(), query = '') =>
  signInAt(provider, browser, server, login, query);
const flagsOf = (browser: CookieBrowser, name: string) =>
  browser.cookieLines
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) =>
      line
        .toLowerCase()
        .split('; ')
        .slice(1)
        .filter((flag) => !flag.startsWith('expires'))
        .sort(),
    );
const ask = askFrom(() => server.url);

describe('sign-in at a provider', () => {
  it('is described, with the name of its button', async () => {
    expect((await caller(server.url)('GET', '/api/v1/auth/oidc')).json).toEqual({
      is_available: true,
      name: 'The Office',
    });
  });

  it('is not there without a provider', async () => {
    const other = await startServerProcess(await serverSettings());
    const call = caller(other.url);
    expect((await call('GET', '/api/v1/auth/oidc')).json).toEqual({ is_available: false, name: '' });
    expect(operationFor('GET', START)?.answers).toMatchObject({ 302: null, 404: expect.any(String) });
    for (const path of [START, '/api/v1/auth/oidc/callback?code=a&state=b']) {
      expect(refusal(await new CookieBrowser().visit(other.url + path))).toEqual([404, undefined]);
      const operation = operationFor('GET', path) ?? expect.fail();
      for (const [accept, type] of [
        ['*/*', 'text/html'],
        ['application/json', 'application/json'],
        ['application/problem+json', 'application/problem+json'],
      ] as const) {
        const { status, headers } = await fetch(other.url + path, { headers: { Accept: accept } });
        expect([accept, status, headers.get('Content-Type')]).toEqual([
          accept,
          404,
          expect.stringContaining(type),
        ]);
        expect(typeFaults(operation, status, headers.get('Content-Type'))).toEqual([]);
      }
    }
    expect((await call('POST', '/api/v1/auth/oidc/code', { code: '123456' })).status).toBe(404);
  });

  it('signs a member in, by cookies that no script reads, and goes on to where it was', async () => {
    introduce(provider, 'ada');
    const browser = new CookieBrowser();
    const page = await signIn(
      'ada',
      browser,
      '?return_to=/console/rooms%3Fa%3D1%26b&time_zone=Europe/London',
    );
    expect([page.status, target(page)]).toEqual([200, '/console/rooms?a=1&#38;b']);
    expect(page.headers.get('Cache-Control')).toBe('no-store');
    expect(page.headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(await whoIs(browser, server)).toMatchObject({
      username: 'ada',
      role: 'owner',
      has_password: true,
    });
    const [begun, ended] = flagsOf(browser, 'parlor-oidc');
    expect(begun).toEqual(['httponly', 'path=/', 'samesite=lax']);
    expect(ended).toEqual(begun);
    expect(flagsOf(browser, 'parlor')).toEqual([['httponly', 'path=/', 'samesite=strict']]);
    expect(browser.cookies.has('parlor-oidc')).toBe(false);
    const [session] = (await ask(browser, 'GET', '/api/v1/auth/sessions/')).json;
    expect(session).toMatchObject({ is_current: true, time_zone: 'Europe/London' });
  });

  it('ends the session that the browser had', async () => {
    introduce(provider, 'ada');
    const browser = new CookieBrowser();
    await signIn('ada', browser);
    const before = new CookieBrowser();
    before.cookies.set('parlor', browser.cookies.get('parlor') ?? '');
    expect(await whoIs(before, server)).toBeDefined();
    await signIn('ada', browser);
    expect(browser.cookies.get('parlor')).not.toBe(before.cookies.get('parlor'));
    expect(await whoIs(before, server)).toBeUndefined();
    expect(await whoIs(browser, server)).toBeDefined();
  });

  it('takes the address from the ID token as well as from the provider’s userinfo, in whatever case', async () => {
    provider.people.set('nobody', {});
    provider.misbehaviour = {
      claims: (claims) => ({ ...claims, email: 'ADA@Example.com', email_verified: true }),
    };
    const browser = new CookieBrowser();
    await signIn('nobody', browser);
    provider.misbehaviour = {};
    expect(await whoIs(browser, server)).toMatchObject({ username: 'ada' });
  });

  it('shows its secret in the way that the provider takes', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post'] as const) {
      const other = await startWithProvider({}, undefined, undefined, method);
      await owner(other.server.url);
      introduce(other.provider, 'ada');
      const browser = new CookieBrowser();
      await signInAt(other.provider, browser, other.server, 'ada');
      expect([method, await whoIs(browser, other.server)]).toMatchObject([method, { username: 'ada' }]);
    }
  });

  it('leaves no code, token, secret or address in the log', async () => {
    introduce(provider, 'ada');
    introduce(provider, 'stranger');
    const browser = new CookieBrowser();
    const { way } = await signIn('ada', browser);
    await signIn('stranger');
    const { searchParams } = new URL(way.at(-1) ?? '');
    const secrets = [
      ...provider.issued,
      ...['code', 'state'].map((name) => searchParams.get(name) ?? ''),
      ...browser.cookies.values(),
      provider.settings.OIDC_CLIENT_SECRET ?? '',
      'stranger@example.com',
    ].filter((secret) => secret !== '');
    expect(secrets.length).toBeGreaterThan(5);
    await expect.poll(() => server.stderr()).toContain('"reason":"no_member"');
    expect(server.stderr()).toContain('/api/v1/auth/oidc/callback');
    for (const secret of secrets) expect(server.stderr() + server.stdout()).not.toContain(secret);
  });
});

describe('a member', () => {
  it('of each of two accounts comes into its own', async () => {
    const carol = await owner(server.url, 'carol');
    introduce(provider, 'ada');
    introduce(provider, 'carol');
    for (const username of ['ada', 'carol']) {
      const browser = new CookieBrowser();
      await signIn(username, browser);
      expect(await whoIs(browser, server)).toMatchObject({ username, role: 'owner' });
    }
    expect((await carol.rest('GET', '/api/v1/members/')).json).toHaveLength(1);
  });

  it('that nobody has invited, or that was removed, is refused', async () => {
    introduce(provider, 'eve');
    const stranger = new CookieBrowser();
    const page = await signIn('eve', stranger);
    expect(refusal(page)).toEqual([403, 'no_member']);
    expect(page.text).toContain(`href="${START}"`);
    expect(stranger.cookies.has('parlor')).toBe(false);

    const uuid = await invite(ada.rest, 'eve@example.com');
    const browser = new CookieBrowser();
    await signIn('eve', browser);
    expect(await whoIs(browser, server)).toMatchObject({ uuid });
    expect((await ada.rest('DELETE', `/api/v1/members/${uuid}/`)).status).toBe(204);
    expect(await whoIs(browser, server)).toBeUndefined();
    expect(refusal(await signIn('eve', browser))).toEqual([403, 'no_member']);
  });

  it('who has a second factor is asked for a code of it', async () => {
    const dora = await owner(server.url, 'dora');
    introduce(provider, 'dora');
    const { secret } = (await dora.rest('POST', '/api/v1/auth/totp', { password: 'a long enough secret' }))
      .json;
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const now = Date.now();
    const confirmed = await dora.rest('POST', '/api/v1/auth/totp/confirm', { code: totp.generate() });
    const [recovery] = confirmed.json.recovery_codes;

    const browser = new CookieBrowser();
    const page = await signIn('dora', browser, '?return_to=/console/');
    expect(page.text).toContain('data-return-to="/console/"');
    expect(target(page)).toBeUndefined();
    expect(browser.cookies.has('parlor')).toBe(false);
    const enter = (code: string, from = browser) => ask(from, 'POST', '/api/v1/auth/oidc/code', { code });
    const wrong = await enter('000000');
    expect(wrong.json).toEqual({ code: ['This code is not good.'] });
    const operation = operationFor('POST', '/api/v1/auth/oidc/code');
    expect(operation && faults(operation, wrong.status, wrong.json)).toEqual([]);
    // The one that has confirmed it was taken already.
    expect((await enter(totp.generate({ timestamp: now }))).status).toBe(400);
    expect((await enter('')).status).toBe(400);
    expect((await enter(recovery, new CookieBrowser())).json).toEqual({
      non_field_errors: ['This sign-in has ended. Begin again.'],
    });
    const good = await enter(recovery);
    expect([good.status, good.json.username]).toEqual([200, 'dora']);
    expect(operation && faults(operation, good.status, good.json)).toEqual([]);
    expect(good.cookies.map((line) => line.split('=')[0]).sort()).toEqual(['parlor', 'parlor-code']);
    const trail = () => dora.rest('GET', '/api/v1/audit/?action=finishOidcByCode');
    await expect.poll(async () => (await trail()).json).toMatchObject([{ actor: { name: 'dora' } }]);

    // A page of another site types none.
    const elsewhere = await fetch(`${server.url}/api/v1/auth/oidc/code`, {
      method: 'POST',
      headers: { Origin: 'https://evil.example', 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: recovery }),
    });
    expect(elsewhere.status).toBe(403);
  });
});
