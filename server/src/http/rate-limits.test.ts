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
  TRUST_PROXY: '1',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});
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

  it('gives back what it took, and what a process had taken from the store besides', async () => {
    const limit = app.services.rateLimits.of('api');
    await limit?.take('given back');
    await limit?.giveBack('given back');
    let taken = 0;
    while ((await limit?.take('given back'))?.isAllowed) taken++;
    expect(taken).toBe(240);
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
