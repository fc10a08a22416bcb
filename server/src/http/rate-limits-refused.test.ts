import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { PASSWORD } from '../../test/members.ts';

/** What is counted because it was refused: whoever guesses is told less and less, and others are not held up by it. */

const app = testApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_REGISTER: '1000',
  RATE_LIMIT_SIGN_IN: '1000',
  RATE_LIMIT_WRONG_PASSWORDS_NAME: '12',
  RATE_LIMIT_UNKNOWN: '9',
  RATE_LIMIT_READYZ: '7',
  RATE_LIMIT_SESSIONS: '1000',
  RATE_LIMIT_ROOMS_DAY: '4',
  METRICS_TOKEN: 'a-token-for-metrics',
  TRUST_PROXY: '1',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});
let widget = '';

beforeAll(async () => {
  ({ widget } = await app.account());
});

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

describe('wrong passwords', () => {
  const signIn = (username: string, password: string, address: string) =>
    app.request('POST', '/api/v1/auth/api-token', { body: { username, password }, ...from(address) });
  const statuses = async (count: number, ask: (n: number) => Promise<{ status: number }>) => {
    const found = [];
    for (let n = 0; n < count; n++) found.push((await ask(n)).status);
    return found;
  };

  it('are five a minute for one username at one address, also when they come at once', async () => {
    const { username } = await app.account();
    const guess = () => signIn(username, 'not the one', '198.51.100.1');
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    const locked = await signIn(username.toUpperCase(), PASSWORD, '198.51.100.1');
    expect([locked.status, locked.headers['retry-after']]).toEqual([429, expect.any(String)]);
    // The owner comes from elsewhere, and is not locked out by that.
    expect((await signIn(username, PASSWORD, '198.51.100.2')).status).toBe(200);
    expect((await signIn((await app.account()).username, PASSWORD, '198.51.100.1')).status).toBe(200);
  });

  it('have a limit per hour for one username, but for addresses that it has signed in from', async () => {
    const { username } = await app.account();
    expect((await signIn(username, PASSWORD, '198.51.100.3')).status).toBe(200);
    const guesses = await statuses(14, (n) => signIn(username, 'not the one', `203.0.113.${n + 10}`));
    expect(guesses).toEqual([...Array(12).fill(400), 429, 429]);
    expect((await signIn(username, PASSWORD, '203.0.113.99')).status).toBe(429);
    expect((await signIn(username, PASSWORD, '198.51.100.3')).status).toBe(200);
    // At home, too, there are five a minute.
    const athome = await statuses(6, () => signIn(username, 'not the one', '198.51.100.3'));
    expect(athome).toEqual([400, 400, 400, 400, 400, 429]);
    const stored = JSON.stringify(await app.services.models.knownAddresses.find({}).lean());
    expect(stored).not.toContain('198.51.100.3');
    expect(stored).not.toContain(username);
  });

  it('are counted for unknown usernames just so, and right ones are not', async () => {
    const { username } = await app.account();
    expect(await statuses(20, () => signIn(username, PASSWORD, '198.51.100.4'))).toEqual(Array(20).fill(200));
    expect(await statuses(6, () => signIn('nobody-at-all', 'guess', '198.51.100.5'))).toEqual([
      400, 400, 400, 400, 400, 429,
    ]);
    const spread = await statuses(9, (n) => signIn('nobody-at-all', 'guess', `203.0.113.${n + 110}`));
    expect(spread).toEqual([...Array(7).fill(400), 429, 429]);
  });
});

describe('what is unknown', () => {
  const LIMITED = {
    status: 429,
    headers: expect.objectContaining({ 'retry-after': expect.any(String) }),
  };

  it('is counted by address: tokens, sessions and widgets together, and good ones are not', async () => {
    const { headers } = from('198.51.100.20');
    const ask = (path: string, authorization = '') =>
      app.request('GET', path, { headers: { ...headers, ...(authorization && { authorization }) } });
    const { token } = await app.account();
    for (let n = 0; n < 12; n++) {
      expect((await ask('/api/v1/rooms/', `Token ${token}`)).status).toBe(200);
      expect((await ask(`/api/v1/widgets/?token=${widget}`)).status).toBe(200);
    }
    const unknown = [
      () => ask('/api/v1/rooms/', `Token ${'0'.repeat(40)}`),
      () => ask('/api/v1/messages/', 'Visitor v1.x'),
      () => ask('/api/v1/widgets/?token=nothing'),
    ];
    const statuses = [];
    for (let n = 0; n < 9; n++) statuses.push((await unknown[n % 3]?.())?.status);
    expect(statuses).toEqual([401, 401, 404, 401, 401, 404, 401, 401, 404]);
    for (const one of unknown) expect(await one()).toMatchObject(LIMITED);
    expect((await ask('/api/v1/rooms/', `Token ${token}`)).status).toBe(200);
  });

  it('includes good credentials on pages that may not use them, and wrong tokens at /metrics', async () => {
    const account = await app.account();
    const path = `/api/v1/widgets/${account.widget}/`;
    const domain = 'https://shop.example.com';
    const patched = await app.request('PATCH', path, { token: account.token, body: { domain } });
    expect(patched.status).toBe(200);
    const sessions = `/api/v1/widgets/${account.widget}/sessions/`;
    const on = (origin: string, address: string) => ({ headers: { ...from(address).headers, origin } });
    const opened = await app.request('POST', sessions, { body: {}, ...on(domain, '198.51.100.50') });
    const visitor = opened.json.token;
    const credentials = { username: account.username, password: PASSWORD };
    const signedIn = await app.request('POST', '/api/v1/auth/session', { body: credentials });
    const cookie = signedIn.headers['set-cookie']?.toString().split(';')[0] ?? '';
    const evil = on('https://evil.example.com', '198.51.100.51');
    const refused = [
      () => app.request('GET', '/api/v1/messages/', { visitor, ...evil }),
      () => app.request('POST', '/api/v1/rooms/', { body: {}, headers: { ...evil.headers, cookie } }),
      () => app.request('GET', '/metrics', { headers: { ...evil.headers, authorization: 'Bearer guess' } }),
    ];
    const statuses = [];
    for (let n = 0; n < 9; n++) statuses.push((await refused[n % 3]?.())?.status);
    expect(statuses).toEqual(Array(3).fill([403, 403, 401]).flat());
    for (const one of refused) expect(await one()).toMatchObject(LIMITED);
    const good = await app.request('GET', '/api/v1/messages/', { visitor, ...on(domain, '198.51.100.51') });
    expect(good.status).not.toBe(429);
  });

  it('includes who asks for readiness again and again', async () => {
    const ask = () => app.request('GET', '/readyz', from('198.51.100.21'));
    const statuses = [];
    for (let n = 0; n < 8; n++) statuses.push((await ask()).status);
    expect(statuses).toEqual([...Array(7).fill(200), 429]);
    expect(await ask()).toMatchObject(LIMITED);
    expect((await app.request('GET', '/readyz', from('198.51.100.22'))).status).toBe(200);
  });
});

describe('a visitor’s session that is refused', () => {
  it('takes none of the rooms that an address opens in a day', async () => {
    const { token, widget } = await app.account();
    const domain = 'https://shop.example.com';
    await app.request('PATCH', `/api/v1/widgets/${widget}/`, { token, body: { domain } });
    const open = (origin: string, opened = widget) =>
      app.request('POST', `/api/v1/widgets/${opened}/sessions/`, {
        headers: { ...from('198.51.100.60').headers, origin },
      });
    // As any page can have a browser do it, without a body.
    for (let n = 0; n < 5; n++) {
      expect((await open('https://evil.example')).status).toBe(403);
      expect((await open('https://evil.example', 'nothing')).status).toBe(404);
    }
    const answers = await Promise.all(Array.from({ length: 9 }, () => open(domain)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(4).fill(201),
      ...Array(5).fill(429),
    ]);
    expect(answers[0]?.headers['ratelimit-policy']).toContain('"rooms-day";q=4;w=86400');
    expect((await open('https://evil.example')).status).toBe(403);
  });
});
