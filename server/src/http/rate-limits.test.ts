import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { RateLimits } from './rate-limits.ts';

const app = testApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_API: '240',
  RATE_LIMIT_REGISTER: '1000',
  RATE_LIMIT_SIGN_IN: '1000',
  RATE_LIMIT_VISITOR: '3',
  RATE_LIMIT_VISITOR_IP: '5',
  RATE_LIMIT_VISITOR_READS: '8',
  RATE_LIMIT_VISITOR_READS_IP: '12',
  RATE_LIMIT_SESSIONS: '6',
  RATE_LIMIT_WRONG_PASSWORDS_NAME: '12',
  RATE_LIMIT_UNKNOWN: '9',
  RATE_LIMIT_READYZ: '7',
  METRICS_TOKEN: 'a-token-for-metrics',
  TRUST_PROXY: '1',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});
const PASSWORD = 'a long enough secret';
let widget = '';

beforeAll(async () => {
  ({ widget } = await app.account());
});

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

describe('a rate limit', () => {
  it('lets exactly as many through as it says, also of requests at once, and tells how many are left', async () => {
    const { token } = await app.account();
    const get = () => app.request('GET', '/api/v1/messages/', { token });
    const started = performance.now();
    const first = await get();
    /** What is left of the minute that began with the first request, in whole seconds, at the least. */
    const leastLeft = () => Math.floor(60 - (performance.now() - started) / 1_000);
    expect(first.headers['ratelimit-policy']).toBe('"api";q=240;w=60');
    const [, left, resetsIn] = /^"api";r=(\d+);t=(\d+)$/.exec(first.headers.ratelimit ?? '') ?? [];
    expect(left).toBe('239');
    expect(Number(resetsIn)).toBeGreaterThanOrEqual(leastLeft());
    expect(Number(resetsIn)).toBeLessThanOrEqual(60);
    const answers = await Promise.all(Array.from({ length: 300 }, get));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(239);
    const denied = answers.find(({ status }) => status === 429);
    const wait = denied?.headers['retry-after'];
    expect(denied?.json.detail).toBe(`Request was throttled. Expected available in ${wait} seconds.`);
    expect(Number(wait)).toBeGreaterThanOrEqual(leastLeft());
    expect(Number(wait)).toBeLessThanOrEqual(60);
    expect(denied?.headers.ratelimit).toMatch(/^"api";r=0;t=\d+$/);
    const other = await app.account();
    expect((await app.request('GET', '/api/v1/messages/', { token: other.token })).status).toBe(200);
  });

  it('holds across server processes', async () => {
    const { id } = await app.account();
    const { config, connection, log } = app.services;
    const processes = Array.from({ length: 3 }, () => new RateLimits(config, connection, log).of('api'));
    let allowed = 0;
    for (let round = 0; round < 120; round++) {
      const taken = await Promise.all(processes.map((limit) => limit?.take(id)));
      allowed += taken.filter((allowance) => allowance?.isAllowed).length;
    }
    expect(allowed).toBeLessThanOrEqual(240);
    expect(allowed).toBeGreaterThan(230);
  });

  it('starts anew when the window is over', async () => {
    const limit = new RateLimits(app.services.config, app.services.connection, app.services.log).of(
      'visitor',
    );
    const take = async () => (await limit?.take('window'))?.isAllowed;
    expect([await take(), await take(), await take(), await take()]).toEqual([true, true, true, false]);
    await app.services.connection.collection('ratelimits').updateMany({}, { $set: { expire: new Date(0) } });
    const late = performance.now() + 61_000;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(late);
    expect(await take()).toBe(true);
    clock.mockRestore();
  });

  it('starts anew when the clock was put back', async () => {
    const { config, connection, log } = app.services;
    const take = async () => new RateLimits(config, connection, log).of('visitor')?.take('put-back');
    for (let n = 0; n < 4; n++) await take();
    expect((await take())?.isAllowed).toBe(false);
    // Of somebody else's window, which has its time, nothing is forgotten.
    const other = async () => new RateLimits(config, connection, log).of('visitor')?.take('another');
    await other();
    const expire = new Date(Date.now() + 86_400_000);
    await connection
      .collection<{ key: string }>('ratelimits')
      .updateOne({ key: 'visitor:put-back' }, { $set: { expire } });
    const taken = await take();
    expect(taken).toMatchObject({ isAllowed: true, remaining: 2 });
    expect(taken?.resetsIn).toBeLessThanOrEqual(60_000);
    expect((await other())?.remaining).toBe(1);
  });

  it('holds for a key of any length', async () => {
    const { config, connection, log } = app.services;
    const limit = new RateLimits(config, connection, log).of('visitor');
    const take = async (key: string) => (await limit?.take(key))?.isAllowed;
    const key = 'k'.repeat(15_000);
    expect([await take(key), await take(key), await take(key), await take(key)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(limit?.isSpent(key)).toBe(true);
    expect(await take(`${key}2`)).toBe(true);
    await limit?.giveBack(key);
    expect(await take(key)).toBe(true);
  });

  it("counts a visitor's writes by session and by address", async () => {
    const open = async () =>
      (await app.request('POST', `/api/v1/widgets/${widget}/sessions/`, { body: {}, ...from('192.0.2.1') }))
        .json;
    const write = ({ token, room }: { token: string; room: { uuid: string } }, address: string) =>
      app.request('POST', '/api/v1/messages/', {
        visitor: token,
        body: { body: 'Hi', room: { uuid: room.uuid } },
        ...from(address),
      });
    const one = await open();
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await write(one, '192.0.2.1')).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    const answer = await write(await open(), '192.0.2.1');
    expect([answer.status, answer.headers.ratelimit]).toEqual([
      201,
      expect.stringMatching(/^"visitor";r=2;t=\d+, "visitor-ip";r=1;t=\d+$/),
    ]);
    const other = await open();
    expect((await write(other, '192.0.2.1')).status).toBe(201);
    expect((await write(other, '192.0.2.1')).status).toBe(429);
    expect((await write(await open(), '198.51.100.7')).status).toBe(201);
  });

  it("counts a visitor's reads by session and by address, and its writes beside them", async () => {
    const open = async () => {
      const options = { body: {}, ...from('192.0.2.9') };
      const { json } = await app.request('POST', `/api/v1/widgets/${widget}/sessions/`, options);
      const said = { body: 'Hi', room: { uuid: json.room.uuid } };
      await app.request('POST', '/api/v1/messages/', { visitor: json.token, body: said });
      return json.token as string;
    };
    const read = (visitor: string, address: string) =>
      app.request('GET', '/api/v1/messages/', { visitor, ...from(address) });
    const one = await open();
    const statuses = [];
    for (let n = 0; n < 9; n++) statuses.push((await read(one, '192.0.2.10')).status);
    expect(statuses).toEqual([...Array(8).fill(200), 429]);
    const other = await open();
    const { headers } = await read(other, '192.0.2.10');
    expect(headers.ratelimit).toMatch(/^"visitor-reads";r=7;t=\d+, "visitor-reads-ip";r=3;t=\d+$/);
    const more = [];
    for (let n = 0; n < 4; n++) more.push((await read(other, '192.0.2.10')).status);
    expect(more).toEqual([200, 200, 200, 429]);
    expect((await read(other, '192.0.2.11')).status).toBe(200);
  });

  it('counts sessions by the address that the proxy in front has seen', async () => {
    const open = (forwarded: string) =>
      app.request('POST', `/api/v1/widgets/${widget}/sessions/`, { body: {}, ...from(forwarded) });
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push((await open(`10.0.0.${n}, 203.0.113.5`)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 429]);
  });

  it('lets requests pass when its store does not answer', async () => {
    const limits = new RateLimits(app.services.config, app.services.connection, app.services.log);
    const limit = limits.of('visitor');
    const warn = vi.spyOn(app.services.log, 'warn').mockImplementation(() => undefined);
    const { Collection } = await import('mongodb');
    const broken = vi.spyOn(Collection.prototype, 'findOneAndUpdate');
    broken.mockRejectedValue(new Error('gone'));
    for (let n = 0; n < 10; n++) expect((await limit?.take('open'))?.isAllowed).toBe(true);
    broken.mockRestore();
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('is lifted by RATE_LIMIT=off', () => {
    const { config, connection, log } = app.services;
    const limits = new RateLimits({ ...config, RATE_LIMIT: false }, connection, log);
    expect(limits.of('api')).toBeUndefined();
  });
});

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

describe('a body that is refused', () => {
  it('counts as one that is read', async () => {
    const { headers } = from('198.51.100.40');
    const ask = (body: string, type = 'application/json') =>
      app.request('POST', '/api/v1/auth/password-reset', {
        body,
        headers: { ...headers, 'content-type': type },
      });
    const refused = [
      () => ask('{'),
      () => ask(`${'['.repeat(10_000)}x`),
      () => ask('{}', 'text/plain'),
      () => ask(`"${'x'.repeat(300_000)}"`),
      () => ask('{}'),
    ];
    const statuses = [];
    for (let n = 0; n < 20; n++) statuses.push((await refused[n % 5]?.())?.status);
    expect(statuses).toEqual(Array(4).fill([400, 400, 415, 413, 400]).flat());
    for (const one of refused) expect(await one()).toMatchObject({ status: 429 });
  });
});

describe('addresses', () => {
  const open = (address: string) =>
    app.request('POST', `/api/v1/widgets/${widget}/sessions/`, { ...from(address), body: {} });
  const statuses = async (addresses: string[]) => {
    const found = [];
    for (const address of addresses) found.push((await open(address)).status);
    return found;
  };
  const six = [201, 201, 201, 201, 201, 201];

  it('that a client makes up avoid no limit: only what the proxy has added counts', async () => {
    const made = Array.from({ length: 8 }, (_, n) => `198.51.100.${n}, 203.0.113.77`);
    expect(await statuses(made)).toEqual([...six, 429, 429]);
  });

  it('are one in all their spellings, whatever the port', async () => {
    const spelled = Array.from({ length: 6 }, (_, n) => `203.0.113.78:${4_000 + n}`);
    expect(await statuses([...spelled, '::ffff:203.0.113.78'])).toEqual([...six, 429]);
  });

  it('of IPv6 count by /64, and a flood out of many of them by /48', async () => {
    const within = Array.from({ length: 7 }, (_, n) => `2001:db8:7:1::${n + 1}`);
    expect(await statuses(within)).toEqual([...six, 429]);
    const across = Array.from({ length: 50 }, (_, n) => `2001:db8:8:${n.toString(16)}::1`);
    const found = await statuses(across);
    expect(found.filter((status) => status === 201)).toHaveLength(48);
    expect(await statuses(['2001:db8:9::1'])).toEqual([201]);
  });
});
