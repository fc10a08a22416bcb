import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type PROXIES, PROXY_PATH } from './find-proxies.mjs';
import type { AtEnd } from './server-process.ts';
import { AUTHORITY, VALID } from './webhooks-certificates.ts';

const PATIENCE_MS = 30_000;

/** A free port may be taken by somebody else before the proxy listens there. */
const STARTS = 5;

/** How browsers reach the servers of these tests; what stands in the files already. */
export const PUBLIC_URL = 'https://chat.example.com';

export type ProxyName = (typeof PROXIES)[number];

/** What an operator changes in a file of docs/proxies, which are the lines that end in "# yours". */
interface Place {
  folder: string;
  port: number;
  plainPort: number;
  servers: readonly [one: string, two: string];
}

const SETUPS: Record<
  ProxyName,
  {
    file: string;
    /** What stands in the file, and what stands there in a test. */
    yours(place: Place): Record<string, string>;
    /** What the distribution's own configuration has around the file. */
    around(place: Place): string;
    command(folder: string): [string, ...string[]];
  }
> = {
  nginx: {
    file: 'nginx.conf',
    yours: ({ folder, port, plainPort, servers: [one, two] }) => ({
      'tries 2;': 'tries 2;',
      'server 127.0.0.1:8080 ': `server ${one} `,
      'server 127.0.0.1:8081 ': `server ${two} `,
      'listen 80;': `listen 127.0.0.1:${plainPort};`,
      'listen 443 ': `listen 127.0.0.1:${port} `,
      '/etc/ssl/parlor/': `${folder}/`,
      'https://chat.example.com': PUBLIC_URL,
    }),
    around: ({ folder }) =>
      [
        // Started by root, it would give its rights up, and could not enter the test's folder.
        process.getuid?.() === 0 ? 'user root;' : '',
        `pid ${folder}/nginx.pid;`,
        'daemon off;',
        'events {}',
        'http {',
        'access_log off;',
        ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
          (name) => `${name}_temp_path ${folder}/${name};`,
        ),
        `include ${folder}/parlor;`,
        '}',
      ].join('\n'),
    command: (folder) => ['nginx', '-c', `${folder}/around`, '-e', 'stderr'],
  },
  haproxy: {
    file: 'haproxy.cfg',
    yours: ({ folder, port, plainPort, servers: [one, two] }) => ({
      'server one 127.0.0.1:8080': `server one ${one}`,
      'server two 127.0.0.1:8081': `server two ${two}`,
      'bind :80 ': `bind 127.0.0.1:${plainPort} `,
      'bind :443 ': `bind 127.0.0.1:${port} `,
      '/etc/ssl/parlor/': `${folder}/`,
      'https://chat.example.com': PUBLIC_URL,
    }),
    around: () => 'global\n    maxconn 1000\n    tune.bufsize 32768\n',
    command: (folder) => ['haproxy', '-db', '-f', `${folder}/around`, '-f', `${folder}/parlor`],
  },
};

/** A real nginx or HAProxy in front of two servers. */
export interface ProxyProcess {
  /** `https://127.0.0.1:<port>` */
  url: string;
  /** `http://127.0.0.1:<port>`, which leads to https. */
  plainUrl: string;
  /** The authority that its certificate is signed by. */
  ca: string;
}

/** Two ports at once: one after the other may be the same. */
const twoFreePorts = async (): Promise<readonly [number, number]> => {
  const servers = [createServer(), createServer()] as const;
  const [one, two] = await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return [one ?? 0, two ?? 0];
};

/** The file as an operator changes it. @throws Error when a line is left over, or another one would have to change */
const fill = (text: string, yours: Record<string, string>): string => {
  const lines = text.split('\n').map((line) => {
    if (!line.endsWith('# yours')) return line;
    const found = Object.keys(yours).filter((one) => line.includes(one));
    if (found.length === 0) throw new Error(`nobody says what to write in: ${line}`);
    return found.reduce((changed, one) => changed.replace(one, yours[one] ?? ''), line);
  });
  return lines.join('\n');
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/**
 * Starts the proxy with its file of docs/proxies, over TLS, in front of the servers; it is ended at the end.
 * @param servers their URLs; one alone stands for both
 */
export const startProxy = async (
  name: ProxyName,
  [one, two = one]: readonly [string, string?],
  atEnd: AtEnd = onTestFinished,
): Promise<ProxyProcess> => {
  const { file, yours, around, command } = SETUPS[name];
  const text = await readFile(fileURLToPath(new URL(`../../docs/proxies/${file}`, import.meta.url)), 'utf8');
  for (let start = 1; ; start++) {
    const folder = await mkdtemp(join(tmpdir(), `parlor-${name}-`));
    const [port, plainPort] = await twoFreePorts();
    const servers = [new URL(one).host, new URL(two).host] as const;
    const place = { folder, port, plainPort, servers };
    await writeFile(join(folder, 'fullchain.pem'), VALID.cert);
    await writeFile(join(folder, 'privkey.pem'), VALID.key);
    await writeFile(join(folder, 'combined.pem'), `${VALID.cert}\n${VALID.key}\n`);
    await writeFile(join(folder, 'parlor'), fill(text, yours(place)));
    await writeFile(join(folder, 'around'), around(place));
    const [program, ...args] = command(folder);
    const child = spawn(program, args, { env: { PATH: PROXY_PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      stderr += more;
    });
    let hasEnded = false;
    const ended = new Promise<void>((resolve) =>
      child.once('close', () => {
        hasEnded = true;
        resolve();
      }),
    );
    const end = async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    };
    const deadline = performance.now() + PATIENCE_MS;
    while (!hasEnded && performance.now() < deadline) {
      if ((await isListening(port)) && (await isListening(plainPort)) && !hasEnded) {
        atEnd(end);
        return { url: `https://127.0.0.1:${port}`, plainUrl: `http://127.0.0.1:${plainPort}`, ca: AUTHORITY };
      }
      await sleep(20);
    }
    await end();
    if (start === STARTS || !/already in use|cannot bind/i.test(stderr))
      throw new Error(`${name} did not start: ${stderr}`);
  }
};
