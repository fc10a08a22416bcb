import { Agent } from 'undici';
import { afterEach, expect, it, vi } from 'vitest';
import { startOidcProvider } from '../../../../test/oidc-provider.ts';
import { createBoundedFetch } from '../../../net/bounded-fetch.ts';
import { createLog } from '../../../platform/log.ts';
import { OidcProvider } from './provider.ts';

const CONFIGURATION = '/.well-known/openid-configuration';
const MINUTE = 60_000;
const checks = { state: 's'.repeat(43), nonce: 'n'.repeat(43), verifier: 'v'.repeat(43) };

afterEach(() => void vi.useRealTimers());

const start = Date.now();

/** Asks where to sign in, and says so, with how often the provider was asked for that. */
const startAsking = async () => {
  const { issuer, admit, asked, misbehaviour } = await startOidcProvider();
  admit('https://chat.example.com');
  const client = { issuer, clientId: 'parlor', clientSecret: 'secret', timeout: 5_000 };
  const fetch = createBoundedFetch(new Agent(), 100_000);
  const provider = new OidcProvider(client, fetch, createLog('silent'));
  const place = async () => {
    const { origin, pathname } = new URL(
      await provider.authorizationUrl('https://chat.example.com/', checks),
    );
    return [origin, pathname, asked.get(CONFIGURATION)];
  };
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  return { issuer, misbehaviour, place };
};

it('asks the provider again after an hour, and goes on with what it knows while that fails', async () => {
  const { issuer, misbehaviour, place } = await startAsking();
  expect(await place()).toEqual([issuer, '/auth', 1]);
  vi.setSystemTime(start + 59 * MINUTE);
  expect(await place()).toEqual([issuer, '/auth', 1]);
  vi.setSystemTime(start + 61 * MINUTE);
  misbehaviour.answer = (_, response) => !!response.writeHead(500).end();
  expect(await place()).toEqual([issuer, '/auth', 2]);
  expect(await place()).toEqual([issuer, '/auth', 2]);
  vi.setSystemTime(start + 63 * MINUTE);
  misbehaviour.answer = (_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ issuer, authorization_endpoint: `${issuer}/another` }));
    return true;
  };
  expect(await place()).toEqual([issuer, '/another', 3]);
});

it('asks the provider again, for its keys as well, once the clock was put back', async () => {
  const { issuer, place } = await startAsking();
  expect(await place()).toEqual([issuer, '/auth', 1]);
  vi.setSystemTime(start + 45 * MINUTE);
  expect(await place()).toEqual([issuer, '/auth', 1]);
  vi.setSystemTime(start + 15 * MINUTE);
  expect(await place()).toEqual([issuer, '/auth', 2]);
  expect(await place()).toEqual([issuer, '/auth', 2]);
});
