import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { missingProxies, PROXIES } from './find-proxies.mjs';
import { type ProxyName, type ProxyProcess, PUBLIC_URL, startProxy } from './proxy-process.ts';
import { type ServerProcess, sharedSettings, startServerProcess } from './server-process.ts';
import { StrictConnection } from './strict-http.ts';
import { type Ask, byFetch } from './wire.ts';

/** A walk over every operation takes 10 s on a machine with nothing else to do. */
const PATIENCE_MS = 300_000;

export const METRICS_TOKEN = 'a-token-for-the-tests';

/** Declares tests behind each proxy; where it is not installed, they are skipped, and their name says why. */
export const behindEach = (declare: (name: ProxyName) => void): void => {
  const missing = missingProxies();
  for (const name of PROXIES) {
    const isMissing = missing.includes(name);
    const title = `behind ${name}${isMissing ? ' (not run: it is not installed)' : ''}`;
    describe.skipIf(isMissing)(title, { timeout: PATIENCE_MS }, () => declare(name));
  }
};

/** Clients of a proxy, who leave when their test ends. */
export const clientsOf = (proxy: () => ProxyProcess) => ({
  fetching: (localAddress?: string): Ask => {
    const ask = byFetch(proxy().url, proxy().ca, localAddress);
    onTestFinished(() => ask.close());
    return ask;
  },
  strict: async (): Promise<StrictConnection> => {
    const connection = await StrictConnection.open(proxy().url, proxy().ca);
    onTestFinished(() => connection.close());
    return connection;
  },
});

/** Two servers on one database, as docs/proxies says, behind the proxy, for all tests of a block. */
export const twoServers = (name: ProxyName, env: () => Record<string, string> = () => ({})) => {
  const ends: (() => Promise<void>)[] = [];
  const atEnd = (end: () => Promise<void>) => void ends.unshift(end);
  const started: { servers: ServerProcess[]; proxy?: ProxyProcess } = { servers: [] };
  const proxy = (): ProxyProcess => {
    if (!started.proxy) throw new Error('the proxy has not started');
    return started.proxy;
  };
  beforeAll(async () => {
    const settings = {
      ...(await sharedSettings(atEnd)),
      PUBLIC_URL,
      TRUST_PROXY: '1',
      RATE_LIMIT: 'off',
      METRICS_TOKEN,
      ...env(),
    };
    const start = () => startServerProcess(settings, undefined, atEnd);
    const [one, two] = [await start(), await start()] as const;
    started.servers = [one, two];
    started.proxy = await startProxy(name, [one.url, two.url], atEnd);
  }, PATIENCE_MS);
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return {
    servers: () => started.servers,
    proxy,
    direct: () => started.servers[0]?.url ?? '',
    ...clientsOf(proxy),
  };
};
