import { expect, inject, it } from 'vitest';
import { behindEach, clientsOf } from './proxies-parts.ts';
import { PUBLIC_URL, startProxy } from './proxy-process.ts';
import { openSocket } from './realtime-client.ts';
import { serverSettings, startServerProcess } from './server-process.ts';

/** Whom a server believes behind the files of docs/proxies. */

const PER_MINUTE = 3;
const SETTINGS = '/demo/panel/settings';

behindEach((name) => {
  const start = async (env: Record<string, string>) => {
    const server = await startServerProcess({ ...(await serverSettings()), ...env });
    const proxy = await startProxy(name, [server.url]);
    return { server, proxy, ...clientsOf(() => proxy) };
  };

  /** The answers to a client at that address, who makes up another X-Forwarded-For each time. */
  const asks = async (
    { fetching }: Pick<Awaited<ReturnType<typeof start>>, 'fetching'>,
    localAddress: string,
    forwarded = (n: number) => `198.51.100.${n}`,
  ): Promise<number[]> => {
    const ask = fetching(localAddress);
    const statuses: number[] = [];
    for (let n = 0; n < PER_MINUTE + 2; n++) {
      const headers = {
        'x-forwarded-for': forwarded(n),
        forwarded: `for=198.51.100.${n}`,
        'x-real-ip': `10.0.0.${n}`,
      };
      statuses.push((await ask({ what: 'readyz', method: 'GET', path: '/readyz', headers })).status);
    }
    return statuses;
  };
  const limited = [...Array(PER_MINUTE).fill(200), 429, 429];
  const free = Array(PER_MINUTE + 2).fill(200);
  const limit = { RATE_LIMIT_READYZ: String(PER_MINUTE), PUBLIC_URL };

  it.each(['1', '127.0.0.1/32'])(
    'a client is the one that the proxy has seen, with TRUST_PROXY=%s',
    async (TRUST_PROXY) => {
      const behind = await start({ ...limit, TRUST_PROXY });
      expect(await asks(behind, '127.0.0.2')).toEqual(limited);
      expect(await asks(behind, '127.0.0.3')).toEqual(limited);
      expect(await asks(behind, '127.0.0.2', () => '127.0.0.3')).toEqual(Array(PER_MINUTE + 2).fill(429));
    },
  );

  it('live connections count by the address that the proxy has seen, too', async () => {
    const { proxy } = await start({ PUBLIC_URL, TRUST_PROXY: '1', RATE_LIMIT_REALTIME: String(PER_MINUTE) });
    const opens = async (localAddress: string) => {
      const found: boolean[] = [];
      for (let n = 0; n < PER_MINUTE + 2; n++) {
        const headers = { 'x-forwarded-for': `198.51.100.${n}` };
        const { socket } = await openSocket(proxy.url, { ca: proxy.ca, localAddress, headers });
        found.push(socket.readyState === socket.OPEN);
      }
      return found;
    };
    const some = [...Array(PER_MINUTE).fill(true), false, false];
    expect(await opens('127.0.0.2')).toEqual(some);
    expect(await opens('127.0.0.3')).toEqual(some);
  });

  it('with another proxy in front, TRUST_PROXY=2 reads what that one has seen', async () => {
    const behind = await start({ ...limit, TRUST_PROXY: '2' });
    expect(await asks(behind, '127.0.0.2')).toEqual(free);
    expect(await asks(behind, '127.0.0.2', (n) => `198.51.100.${n}, 203.0.113.7`)).toEqual(limited);
  });

  it('without TRUST_PROXY, all clients count as one, and nobody gets around that', async () => {
    const behind = await start(limit);
    expect(await asks(behind, '127.0.0.2')).toEqual(limited);
    expect(await asks(behind, '127.0.0.3')).toEqual(Array(PER_MINUTE + 2).fill(429));
  });

  it.skipIf(inject('isRealMongodb'))(
    'the panel of a trial is for the printed link alone, and that once',
    async () => {
      const { server, proxy, fetching } = await start({});
      const link = /^Settings panel.*: (\S+)$/m.exec(server.stdout())?.[1] ?? '';
      const ask = fetching();
      const get = (path: string, cookie = '') =>
        ask({ what: path, method: 'GET', path, headers: { cookie } });
      const change = (headers: Record<string, string>) =>
        ask({
          what: 'change',
          method: 'PATCH',
          path: SETTINGS,
          headers: { 'content-type': 'application/json', ...headers },
          body: '{"header_title":"evil"}',
        });
      for (const origin of [server.url, proxy.url, 'http://127.0.0.1:8080', 'http://localhost']) {
        const host = new URL(origin).host;
        expect((await change({ origin, host, 'sec-fetch-site': 'same-origin' })).status).toBe(403);
      }
      expect((await get(SETTINGS)).status).toBe(403);
      const entrance = link.slice(server.url.length);
      const entered = await get(entrance);
      expect([entered.status, entered.headers.location]).toEqual([303, '/demo/panel/']);
      const cookie = entered.headers['set-cookie']?.split(';')[0] ?? '';
      expect((await get(SETTINGS, cookie)).status).toBe(200);
      expect((await get(entrance)).status).toBe(403);
      expect((await get(SETTINGS, 'parlor_panel=guess')).status).toBe(403);
    },
  );

  it('set up as documented, a server has neither panel nor metrics for anybody', async () => {
    const { server, fetching } = await start({ PUBLIC_URL, TRUST_PROXY: '1' });
    expect(server.stdout()).not.toContain('Settings panel');
    const ask = fetching();
    for (const path of ['/demo/panel/', SETTINGS, '/demo/panel/enter?key=guess', '/metrics']) {
      const { status } = await ask({ what: path, method: 'GET', path, headers: { host: '127.0.0.1' } });
      expect([path, status]).toEqual([path, 404]);
    }
  });
});
