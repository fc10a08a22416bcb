import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { testMembers } from '../../test/members.ts';
import { createApp } from '../app.ts';
import { inTurn } from './turns.ts';

const app = testApp();
let token = '';

beforeAll(async () => {
  token = (await app.account()).token;
});

const list = (query: string, as = token) => app.request('GET', `/api/v1/rooms/?${query}`, { token: as });
const uuids = (rooms: { uuid: string }[]) => rooms.map(({ uuid }) => uuid);

/** Whoever waits for long is still there. */
const authenticateAgain = async () => undefined;

/** Takes as many turns of an account as it has at once, until their end. */
const allTurnsOf = (owner: string) => {
  const ends: (() => void)[] = [];
  const ctx = (scope: string) => ({
    res: new EventEmitter(),
    state: { principal: { kind: 'account', owner, scope }, authenticateAgain },
  });
  const running = ['a', 'a', 'b', 'b'].map((caller) =>
    inTurn(ctx(caller) as never, () => new Promise<void>((resolve) => void ends.push(resolve))),
  );
  const end = () => {
    for (const resolve of ends) resolve();
  };
  return { end, running: Promise.all(running) };
};

/** Walks a list to its end by Link. */
const walk = async (query: string, as: string) => {
  const pages: { uuid: string }[][] = [];
  for (let path: string | undefined = `/api/v1/rooms/?${query}`; path; ) {
    const answer = await app.request('GET', path, { token: as });
    expect(answer.status).toBe(200);
    pages.push(answer.json);
    const next: string | undefined = /^<(http:[^>]+)>; rel="next"$/.exec(answer.headers.link ?? '')?.[1];
    path = next && new URL(next).pathname + new URL(next).search;
  }
  return pages;
};

describe('a list', () => {
  it('is a bare array; its pages joined are the whole, also of one millisecond', async () => {
    const account = await app.account();
    const now = new Date('2026-03-01T12:00:00.000Z');
    const room = (n: number, created_at: Date) => ({
      _id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
      label: `room-${n}`,
      name: '',
      rating: null,
      is_bot_use: false,
      created_at,
      account: account.id,
      version: 1,
    });
    const rooms = Array.from({ length: 25 }, (_, n) =>
      room(n, n < 20 ? now : new Date(now.getTime() + n * 3_600_000)),
    );
    await app.services.models.rooms.insertMany(rooms);
    const whole = (await list('', account.token)).json;
    expect(uuids(whole)).toEqual(rooms.map(({ _id }) => _id).reverse());
    for (const limit of [1, 3, 7, 24, 25, 26]) {
      const pages = await walk(`limit=${limit}`, account.token);
      expect(pages.flat()).toEqual(whole);
      expect(pages).toHaveLength(Math.ceil(25 / limit));
    }
    const filtered = await walk('limit=2&start_date=2026-03-02&end_date=2026-03-02', account.token);
    expect(filtered.flat()).toEqual((await list('start_date=2026-03-02', account.token)).json);
  });

  it('is stable while new objects arrive', async () => {
    const account = await app.account();
    const make = () => app.request('POST', '/api/v1/rooms/', { token: account.token });
    for (let n = 0; n < 4; n++) await make();
    const first = await list('limit=2', account.token);
    await make();
    const url = new URL(/<(.*)>/.exec(first.headers.link ?? '')?.[1] ?? '');
    const second = await app.request('GET', url.pathname + url.search, { token: account.token });
    expect(new Set([...uuids(first.json), ...uuids(second.json)]).size).toBe(4);
    expect(second.headers.link).toBeUndefined();
  });

  it('is led on by what it has read of the query, and nothing else', async () => {
    const { token } = await app.account();
    for (let n = 0; n < 2; n++) await app.request('POST', '/api/v1/rooms/', { token });
    const { headers } = await list(
      `utm=${'x'.repeat(7_000)}&limit=1&end_date=9999-12-31&token=a&token=b`,
      token,
    );
    const next = new URL(/^<(.*)>; rel="next"$/.exec(headers.link ?? '')?.[1] ?? '');
    expect([...next.searchParams.keys()].sort()).toEqual(['cursor', 'end_date', 'limit']);
    expect([next.searchParams.get('limit'), next.searchParams.get('end_date')]).toEqual(['1', '9999-12-31']);
  });

  it('takes days, both inclusive, each alone or together', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await app.request('POST', '/api/v1/rooms/', { token });
    const found = async (query: string) => (await list(query)).json.length > 0;
    expect(await found(`start_date=${today}`)).toBe(true);
    expect(await found(`end_date=${today}`)).toBe(true);
    expect(await found(`start_date=${today}&end_date=${today}`)).toBe(true);
    expect(await found('end_date=2020-01-01')).toBe(false);
    expect(await found('start_date=9999-12-31')).toBe(false);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1.5',
    'limit=',
    'limit=ten',
    'limit=1&limit=2',
    'cursor=',
    'cursor=x',
    'cursor=eyJhIjoxfQ',
    `cursor=${Buffer.from('[1e99,"x"]').toString('base64url')}`,
    `cursor=${Buffer.from('[1,{"$gt":""}]').toString('base64url')}`,
    'start_date=2026-13-01',
    'start_date=2026-02-30',
    'start_date=01.02.2026',
    'start_date=2026-01-01T00:00:00Z',
    'end_date=',
    'start_date[$gt]=2026-01-01&start_date=x',
    'start_date=2026-01-02&end_date=2026-01-01',
  ])('answers 400 to %s', async (query) => {
    const answer = await list(query);
    expect(answer.status).toBe(400);
    expect(Object.values(answer.json)[0]).toEqual([expect.any(String)]);
  });

  it('is not for whoever was removed while it waited for its turn', async () => {
    const { token: owner, id } = await app.account();
    const member = await testMembers(app).member(owner, 'operator');
    const { end, running } = allTurnsOf(id);
    const waiting = list('', member.token);
    const { now } = performance;
    // It has been let in by the time that another request has its answer.
    await app.request('GET', '/api/v1/members/me/', { token: member.token });
    const removed = await app.request('DELETE', `/api/v1/members/${member.uuid}/`, { token: owner });
    expect(removed.status).toBe(204);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 2_000);
    onTestFinished(() => clock.mockRestore());
    end();
    expect((await waiting).status).toBe(401);
    await running;
  });

  it('is not made for whoever has hung up while it waited for its turn', async () => {
    const { token, id } = await app.account();
    const { rooms } = app.services.models;
    let read = 0;
    rooms.db.getClient().on('commandStarted', ({ command }) => {
      if (command.find === rooms.collection.collectionName && command.filter.account === id) read++;
    });
    const server = createServer(createApp(app.services).callback()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { end, running } = allTurnsOf(id);
    const sockets = Array.from({ length: 5 }, () =>
      connect((server.address() as AddressInfo).port, '127.0.0.1'),
    );
    for (const socket of sockets)
      socket.write(`GET /api/v1/rooms/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\n\r\n`);
    const connections = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));
    await expect.poll(connections).toBe(5);
    // They have been let in by the time that another request has its answer.
    await app.request('GET', '/api/v1/members/me/', { token });
    for (const socket of sockets) socket.destroy();
    await expect.poll(connections).toBe(0);
    end();
    expect((await list('', token)).status).toBe(200);
    expect(read).toBe(1);
    await running;
  });

  it('of a member does not wait for all those that a program of its account has asked for', async () => {
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const ask = (scope: string) =>
      inTurn(
        {
          res: new EventEmitter(),
          state: { principal: { kind: 'account', owner: 'office', scope }, authenticateAgain },
        } as never,
        () => {
          begun.push(scope);
          return new Promise<void>((resolve) => void ends.push(resolve));
        },
      );
    const busy = ['program:1', 'program:2'].flatMap((scope) => Array.from({ length: 30 }, () => ask(scope)));
    await expect.poll(() => begun.length).toBe(4);
    const own = Array.from({ length: 3 }, () => ask('member'));
    const all = [...busy, ...own];
    for (let n = 0; n < all.length; n++) {
      await expect.poll(() => ends.length).toBeGreaterThan(n);
      ends[n]?.();
    }
    await Promise.all(all);
    // At most two of each program stand before one of the member's.
    expect(begun.lastIndexOf('member')).toBeLessThan(16);
  });

  it("of one visitor's session is made one at a time, and those of other visitors meanwhile", async () => {
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const ask = (session: string) =>
      inTurn(
        {
          res: new EventEmitter(),
          state: {
            principal: { kind: 'visitor', owner: 'shop', scope: `session:${session}` },
            authenticateAgain,
          },
        } as never,
        () => {
          begun.push(session);
          return new Promise<void>((resolve) => void ends.push(resolve));
        },
      );
    const busy = Array.from({ length: 21 }, () => ask('busy'));
    await expect(ask('busy')).rejects.toMatchObject({ code: 'throttled' });
    const others = ['b', 'c', 'd', 'e'].map(ask);
    await expect.poll(() => begun).toEqual(['busy', 'b', 'c', 'd']);
    for (let n = 0; n < 25; n++) {
      await expect.poll(() => ends.length).toBeGreaterThan(n);
      ends[n]?.();
    }
    await Promise.all([...busy, ...others]);
    // Its second one comes after the one that waited meanwhile.
    expect(begun.slice(0, 6)).toEqual(['busy', 'b', 'c', 'd', 'e', 'busy']);
  });
});
