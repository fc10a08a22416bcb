import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CookieBrowser } from './cookie-browser.ts';
import { introduce, refusal, START, signInAt, startWithProvider, whoIs } from './oidc-parts.ts';
import { anotherKey, type Misbehaviour, startOidcProvider } from './oidc-provider.ts';
import { owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';

/** A provider that does not answer as one: nobody waits for ever, and nobody is signed in. */

/** Enough for a provider that answers, on a busy machine, too. */
const OIDC_TIMEOUT = '1s';

type Started = Awaited<ReturnType<typeof startWithProvider>>;
let server: Started['server'];
let provider: Started['provider'];
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  ({ server, provider } = await startWithProvider({ OIDC_TIMEOUT }, (end) => void ends.unshift(end)));
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

describe('a provider that fails', () => {
  const answers: [string, Misbehaviour['answer']][] = [
    ['does not answer', () => true],
    [
      'ends in the middle',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
        response.write('{');
        setTimeout(() => response.destroy(), 20);
        return true;
      },
    ],
    [
      'never ends',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
        return true;
      },
    ],
    [
      'answers 10 MB',
      (_, response) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(`{"a":"${'x'.repeat(10_000_000)}"}`);
        return true;
      },
    ],
    ['answers 500', (_, response) => !!response.writeHead(500).end()],
    [
      'answers with a page',
      (_, response) => !!response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>'),
    ],
    [
      'answers broken JSON',
      (_, response) => !!response.writeHead(200, { 'Content-Type': 'application/json' }).end('{'),
    ],
  ];

  it('at the beginning: Parlor starts without it, says so, and goes on when it is back', async () => {
    const late = await startOidcProvider();
    introduce(late, 'ada');
    const env = { ...(await serverSettings()), RATE_LIMIT: 'off', OIDC_TIMEOUT, ...late.settings };
    const other = await startServerProcess(env);
    await owner(other.url);
    for (const [what, answer] of answers) {
      late.misbehaviour = { answer };
      const page = await new CookieBrowser().visit(`${other.url}${START}`);
      expect([what, ...refusal(page)]).toEqual([what, 503, 'provider_unavailable']);
      expect(page.headers.get('Retry-After')).toBe('10');
      expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
    }
    // Many at once ask it once.
    late.misbehaviour = { answer: () => true };
    const before = late.asked.get('/.well-known/openid-configuration') ?? 0;
    const starts = Array.from({ length: 20 }, () => new CookieBrowser().visit(`${other.url}${START}`));
    expect((await Promise.all(starts)).map(({ status }) => status)).toEqual(Array(20).fill(503));
    expect(late.asked.get('/.well-known/openid-configuration')).toBe(before + 1);
    late.misbehaviour = {};
    late.admit(other.url);
    const browser = new CookieBrowser();
    await signInAt(late, browser, other, 'ada');
    expect(await whoIs(browser, other)).toMatchObject({ username: 'ada' });
    // Once is enough.
    const asked = late.asked.get('/.well-known/openid-configuration');
    await signInAt(late, new CookieBrowser(), other, 'ada');
    expect(late.asked.get('/.well-known/openid-configuration')).toBe(asked);
  });

  it.each(['/token', '/me'])('at %s', async (path) => {
    for (const [what, answer] of answers) {
      const browser = new CookieBrowser();
      provider.misbehaviour = { answer: (asked, ...rest) => asked === path && !!answer?.(asked, ...rest) };
      const { page } = await signIn(browser);
      expect([what, ...refusal(page)]).toEqual([what, 503, 'provider_unavailable']);
      expect(browser.cookies.has('parlor')).toBe(false);
      // It is Parlor that begins again, with all of it.
      provider.misbehaviour = {};
      await signIn(browser);
      expect(await whoIs(browser, server)).toBeDefined();
    }
  });

  it('with its keys', async () => {
    const fresh = await startWithProvider({ OIDC_TIMEOUT });
    await owner(fresh.server.url);
    introduce(fresh.provider, 'ada');
    for (const [what, answer] of answers) {
      fresh.provider.misbehaviour = {
        answer: (path, ...rest) => path === '/jwks' && !!answer?.(path, ...rest),
      };
      const page = await signInAt(fresh.provider, new CookieBrowser(), fresh.server, 'ada');
      expect([what, ...refusal(page)]).toEqual([what, 503, 'provider_unavailable']);
    }
    // Keys that can't be read, last of all: what was read is kept.
    const key = anotherKey().export({ format: 'jwk' });
    fresh.provider.misbehaviour = {
      answer: (path, response) => {
        if (path !== '/jwks') return false;
        response.setHeader('Content-Type', 'application/json');
        return !!response.end(JSON.stringify({ keys: [{ ...key, use: 'sig', kid: 'the-key' }] }));
      },
    };
    const page = await signInAt(fresh.provider, new CookieBrowser(), fresh.server, 'ada');
    expect(refusal(page)).toEqual([503, 'provider_unavailable']);
  });

  it('in what it says of itself leads nobody anywhere', async () => {
    const odd = await startOidcProvider();
    const other = await startServerProcess({
      ...(await serverSettings()),
      RATE_LIMIT: 'off',
      ...odd.settings,
    });
    for (const [what, more] of [
      ['calls itself otherwise', { issuer: 'https://login.evil.example' }],
      ['has no place to sign in at', { authorization_endpoint: undefined }],
      ['leads to a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ] as const) {
      odd.misbehaviour = {
        answer: (_, response) => {
          response.setHeader('Content-Type', 'application/json');
          const { issuer } = odd;
          const token_endpoint = `${issuer}/token`;
          const said = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint, ...more };
          response.end(JSON.stringify(said));
          return true;
        },
      };
      const page = await new CookieBrowser().visit(`${other.url}${START}`);
      expect([what, ...refusal(page)]).toEqual([what, 503, 'provider_unavailable']);
    }
  });

  it('and leads elsewhere is not followed, with the code least of all', async () => {
    let hits = 0;
    const elsewhere = createServer((_, response) => {
      hits++;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void elsewhere.close());
    await new Promise((resolve) => elsewhere.once('listening', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    for (const status of [302, 307, 308]) {
      provider.misbehaviour = {
        answer: (path, response) =>
          path === '/token' && !!response.writeHead(status, { Location: `http://127.0.0.1:${port}/` }).end(),
      };
      expect(refusal((await signIn()).page)).toEqual([503, 'provider_unavailable']);
    }
    expect(hits).toBe(0);
  });

  it('at a private address is asked only where the operator says so', async () => {
    const env = { ...(await serverSettings()), ...provider.settings };
    const inside = { OIDC_ISSUER: 'https://10.0.0.1', OIDC_ALLOW_PRIVATE: 'false' };
    const other = await startServerProcess({ ...env, ...inside });
    const page = await new CookieBrowser().visit(`${other.url}${START}`);
    expect(refusal(page)).toEqual([503, 'provider_unavailable']);
    await expect.poll(() => other.stderr()).toContain('10.0.0.1 is not a public address');
  });
});
