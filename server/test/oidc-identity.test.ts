import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CookieBrowser } from './cookie-browser.ts';
import { introduce, refusal, signInAt, startWithProvider } from './oidc-parts.ts';
import { anotherKey, type Misbehaviour } from './oidc-provider.ts';
import { owner } from './rest.ts';

/** What a provider may say of somebody, or another one in its name, that signs nobody in. */

type Started = Awaited<ReturnType<typeof startWithProvider>>;
let server: Started['server'];
let provider: Started['provider'];
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  ({ server, provider } = await startWithProvider({}, (end) => void ends.unshift(end)));
  await owner(server.url);
  introduce(provider, 'ada');
});
afterEach(() => {
  provider.misbehaviour = {};
});
afterAll(async () => {
  for (const end of ends) await end();
});

const signIn = async (browser = new CookieBrowser(), login = 'ada') => {
  const page = await signInAt(provider, browser, server, login);
  return { page, browser };
};
const minutes = (count: number) => Math.floor(Date.now() / 1_000) + count * 60;

describe('an ID token', () => {
  it.each<[string, Misbehaviour]>([
    ['of another issuer', { claims: (claims) => ({ ...claims, iss: 'https://login.evil.example' }) }],
    ['for another client', { claims: (claims) => ({ ...claims, aud: 'another-client' }) }],
    [
      'for several clients, by another one',
      { claims: (claims) => ({ ...claims, aud: ['parlor', 'another-client'], azp: 'another-client' }) },
    ],
    ['with another nonce', { claims: (claims) => ({ ...claims, nonce: 'x'.repeat(43) }) }],
    ['without a nonce', { claims: ({ nonce, ...claims }) => claims }],
    ['that has expired', { claims: (claims) => ({ ...claims, iat: minutes(-20), exp: minutes(-10) }) }],
    ['without an end', { claims: ({ exp, ...claims }) => claims }],
    ['that is not good yet', { claims: (claims) => ({ ...claims, nbf: minutes(10) }) }],
    ['without a subject', { claims: ({ sub, ...claims }) => claims }],
    ['signed by another key', { key: anotherKey() }],
    ['signed by a key that is not published', { key: anotherKey(), header: { kid: 'unknown' } }],
    ['said not to be signed', { header: { alg: 'none' } }],
    ['said to be signed by a shared secret', { header: { alg: 'HS256' } }],
    ['with an extension that has to be understood', { header: { crit: ['exp'] } }],
  ])('%s signs nobody in', async (_, misbehaviour) => {
    provider.misbehaviour = misbehaviour;
    const { page, browser } = await signIn();
    expect(refusal(page)).toEqual([403, 'answer_not_accepted']);
    expect(browser.cookies.has('parlor')).toBe(false);
  });
});

describe('an address', () => {
  it.each<[string, object]>([
    ['that is not verified', { email_verified: false }],
    ['that is verified by a word', { email_verified: 'true' }],
    ['of which nothing is said', { email_verified: undefined }],
    ['that is none', { email: undefined }],
    ['that is several', { email: ['ada@example.com'] }],
  ])('%s signs nobody in', async (_, more) => {
    introduce(provider, 'unsure', { email: 'ada@example.com', ...more });
    expect(refusal((await signIn(undefined, 'unsure')).page)).toEqual([403, 'email_not_verified']);
  });

  it.each([
    'ada@example.com@evil.example',
    'ada@examp\u017fe.com',
    '\u00e1da@example.com',
    'ada\u0000@example.com',
    'ada@example.com\n',
    ` ada@example.com`,
    '',
    'x'.repeat(100_000),
  ])('that only looks like a member’s is nobody’s', async (email) => {
    introduce(provider, 'lookalike', { email });
    expect(refusal((await signIn(undefined, 'lookalike')).page)).toEqual([403, 'no_member']);
  });

  it('of userinfo about somebody else signs nobody in', async () => {
    introduce(provider, 'mallory', {});
    provider.misbehaviour = {
      answer: (path, response) => {
        if (path !== '/me') return false;
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ sub: 'ada', email: 'ada@example.com', email_verified: true }));
        return true;
      },
    };
    expect(refusal((await signIn(undefined, 'mallory')).page)).toEqual([403, 'answer_not_accepted']);
  });
});
