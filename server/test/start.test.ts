import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { caller, owner } from './rest.ts';
import { GaveUp, MAIN, serverSettings, startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
};

/** Undefined as long as nobody listens. */
const statusOf = (url: string): Promise<number | undefined> =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );

/** The one line that a server which can't start leaves on stderr. */
const refusal = async (env: Record<string, string>): Promise<string> => {
  const gaveUp = await startServerProcess(env).then(
    () => expect.fail('the server started'),
    (error: unknown) => error,
  );
  if (!(gaveUp instanceof GaveUp)) throw gaveUp;
  expect(gaveUp).toMatchObject({ code: 1, stdout: '' });
  const lines = gaveUp.stderr.trimEnd().split('\n');
  expect(lines, gaveUp.stderr).toHaveLength(1);
  return lines[0] ?? '';
};

/** What a start says that has no account to show: links, whose secrets are others each time. */
const linesAfterTheFirst = (stdout: string): string[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^(Settings panel), .*\/demo\/panel\/enter\?key=\S{32}$/, '$1'))
    .map((line) => line.replace(/^(Inbox), .*\/console\/#welcome=\S{43}$/, '$1'));

describe('the very first start', () => {
  it.skipIf(inject('isRealMongodb'))('shows the demo account once, and the next start does not', async () => {
    const settings = await serverSettings();
    const first = await startServerProcess(settings);
    const shown = first.stdout();
    expect(shown).toMatch(/^ {2}username {4}demo$/m);
    expect(shown).toMatch(/^ {2}password {4}\S{12,}$/m);
    const token = /^ {2}API token {3}([0-9a-f]{40})$/m.exec(shown)?.[1];
    const tag = /<script src="(.*)\/widget.js" data-token="(.*)" async><\/script>/.exec(shown);
    expect(tag?.[1]).toBe(first.url);
    expect(shown.trimEnd().split('\n').at(-1)).toBe(`Parlor is ready: ${first.url}/`);
    const documents = /^ {2}documents {3}(\S+)$/m.exec(shown)?.[1] ?? '';
    expect(await (await fetch(documents)).text()).toContain('/api/v1/docs/scalar.js');
    const panel = /^Settings panel, .*: (\S+)$/m.exec(shown)?.[1] ?? '';
    const entered = await fetch(panel, { redirect: 'manual' });
    const cookie = entered.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const headers = { Cookie: cookie };
    expect((await fetch(`${first.url}/demo/panel/settings`, { headers })).status).toBe(200);

    const welcome = /^Inbox, .*: \S+#welcome=(\S+)$/m.exec(shown)?.[1] ?? '';
    const enter = (link: string) => caller(first.url)('POST', '/api/v1/auth/welcome', { token: link });
    const refused = { token: ['This link is not good, has run out or was used.'] };
    expect(await enter('guess')).toMatchObject({ status: 400, json: refused });
    expect(await enter(welcome)).toMatchObject({ status: 200, json: { username: 'demo' } });
    expect(await enter(welcome)).toMatchObject({ status: 400, json: refused });

    const widgets = await fetch(`${first.url}/api/v1/widgets/`, {
      headers: { Authorization: `Token ${token}` },
    });
    expect(await widgets.json()).toMatchObject([{ token: tag?.[2] }]);
    expect(await (await fetch(`${first.url}/demo/`)).text()).toContain(`data-token="${tag?.[2]}"`);
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });

    const second = await startServerProcess(settings);
    expect(linesAfterTheFirst(second.stdout())).toEqual([
      'Inbox',
      'Settings panel',
      `Parlor is ready: ${second.url}/`,
    ]);
    const again = await fetch(`${second.url}/api/v1/widgets/`, {
      headers: { Authorization: `Token ${token}` },
    });
    expect(again.status).toBe(200);
  });

  it.skipIf(inject('isRealMongodb'))('has shown it before it answers that it is ready', async () => {
    const settings = { ...(await serverSettings()), PORT: String(await freePort()) };
    const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, ...settings } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const shown = text(child.stdout);
    await expect
      .poll(() => statusOf(`http://127.0.0.1:${settings.PORT}/readyz`), { interval: 5, timeout: 60_000 })
      .toBe(200);
    child.kill('SIGTERM');
    expect(await shown).toMatch(/^ {2}password {4}\S{12,}$/m);
  });

  it.skipIf(inject('isRealMongodb'))('shows what could not be shown at the next start', async () => {
    const settings = await serverSettings();
    const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, ...settings } });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.destroy();
    const log = text(child.stderr);
    const unseen = join(settings.DATA_DIR ?? '', 'demo-account-unseen');
    await expect.poll(() => existsSync(unseen), { interval: 5, timeout: 60_000 }).toBe(true);
    child.kill('SIGTERM');
    expect([await once(child, 'exit'), await log]).toEqual([[0, null], expect.not.stringContaining('EPIPE')]);

    const second = await startServerProcess(settings);
    const [, password] = /^ {2}password {4}(\S{12,})$/m.exec(second.stdout()) ?? [];
    const [, token] = /^ {2}API token {3}([0-9a-f]{40})$/m.exec(second.stdout()) ?? [];
    const signedIn = await caller(second.url)('POST', '/api/v1/auth/api-token', {
      username: 'demo',
      password,
    });
    expect(signedIn).toEqual({ status: 200, json: { token } });
    await second.end('SIGTERM');
    const third = await startServerProcess(settings);
    expect(linesAfterTheFirst(third.stdout())).toEqual([
      'Inbox',
      'Settings panel',
      `Parlor is ready: ${third.url}/`,
    ]);
  });

  it('makes no account on a server for others, and shows no widget of one that is called demo', async () => {
    const settings = { ...(await serverSettings()), PUBLIC_URL: 'https://chat.example.com' };
    const server = await startServerProcess(settings);
    expect(server.stdout()).toBe(`Parlor is ready: ${server.url}/\n`);
    const squatter = await owner(server.url, 'demo');
    for (const path of ['/demo/', '/demo', '/demo/lamps.html', '/demo/hostile/', '/demo/panel/settings']) {
      for (const query of ['', `?widget=${squatter.widget}`]) {
        expect((await fetch(server.url + path + query)).status, path + query).toBe(404);
      }
    }
    const root = await fetch(server.url);
    expect(root.status).toBe(200);
    expect(await root.text()).not.toContain('/demo/');
  });

  it.runIf(inject('isRealMongodb'))('makes no account on a MongoDB, and has no demo', async () => {
    const server = await startServerProcess(await serverSettings());
    expect(server.stdout()).toBe(`Parlor is ready: ${server.url}/\n`);
    expect((await fetch(`${server.url}/demo/`)).status).toBe(404);
  });

  it.skipIf(inject('isRealMongodb'))('keeps the made key and the data for their owner only', async () => {
    const settings = await serverSettings();
    await startServerProcess(settings);
    const { DATA_DIR = '' } = settings;
    expect((await stat(join(DATA_DIR, 'secret-key'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(DATA_DIR, 'database'))).mode & 0o077).toBe(0);
  });
});

// Only Linux says how many it allows.
it.runIf(process.platform === 'linux')(
  'holds the connections of a crowd until it has time for them',
  async () => {
    const { url, pid } = await startServerProcess(await serverSettings());
    const allowed = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
    process.kill(pid, 'SIGSTOP');
    let connected = 0;
    const sockets = Array.from({ length: Math.min(1_000, allowed) }, () =>
      connect(Number(new URL(url).port), '127.0.0.1', () => connected++).on('error', () => undefined),
    );
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await expect.poll(() => connected, { timeout: 60_000 }).toBe(sockets.length);
    process.kill(pid, 'SIGCONT');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  },
);

describe.skipIf(inject('isRealMongodb'))('an embedded database that listens', () => {
  it('has no password on its port, which the start says', async () => {
    const server = await startServerProcess({
      ...(await serverSettings()),
      EMBEDDED_MONGODB_LISTEN: '127.0.0.1:0',
    });
    await expect.poll(server.stderr).toMatch(/EMBEDDED_MONGODB_LISTEN is 127\.0\.0\.1:0.*without a password/);
  });

  it('is for its owner only on a socket, about which there is nothing to say', async () => {
    const settings = await serverSettings();
    const path = join(settings.DATA_DIR ?? '', 'look.sock');
    const server = await startServerProcess({ ...settings, EMBEDDED_MONGODB_LISTEN: path });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await server.end('SIGTERM');
    expect(server.stderr()).not.toContain('EMBEDDED_MONGODB_LISTEN');
  });
});

describe('the end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('is clean after %s', async (signal) => {
    const server = await startServerProcess(await serverSettings());
    expect(await server.end(signal)).toEqual({ code: 0, signal: null });
  });

  it('is clean through npm', async () => {
    const server = await startServerProcess(await serverSettings(), ['npm', 'start', '--silent']);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await expect(fetch(server.url)).rejects.toThrow();
  });
});

describe('what keeps the server from starting is one clear line', () => {
  it('a taken port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    expect(await refusal({ ...(await serverSettings()), PORT: String(port) })).toContain(
      `PORT ${port} is taken on 127.0.0.1`,
    );
  });

  it.skipIf(inject('isRealMongodb'))(
    'a second process on the same DATA_DIR, which harms nothing',
    async () => {
      const settings = await serverSettings();
      const first = await startServerProcess(settings);
      expect(await refusal(settings)).toContain(`DATA_DIR ${settings.DATA_DIR}`);
      expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    },
  );
});

// None of these uses the database of the run: once is enough.
describe.skipIf(inject('isRealMongodb'))('what is set wrongly is one clear line, too', () => {
  it('a DATA_DIR that can not be made', async () => {
    const file = join(await temporaryFolder(), 'a-file');
    await writeFile(file, 'not a folder');
    expect(await refusal({ PORT: '0', DATA_DIR: join(file, 'data') })).toContain(
      `DATA_DIR ${join(file, 'data')}`,
    );
    expect(await refusal({ PORT: '0', DATA_DIR: file })).toContain(`DATA_DIR ${file}`);
  });

  // Not even root makes a folder there.
  it.runIf(process.platform === 'linux').each(['/sys/parlor', '/proc/x', '/proc/x/y'])(
    'a DATA_DIR that may not be written: %s',
    async (path) => {
      expect(await refusal({ PORT: '0', DATA_DIR: path })).toContain(`DATA_DIR ${path} can't be used: `);
    },
  );

  it.each(['', ' '])('an empty DATA_DIR ("%s")', async (path) => {
    expect(await refusal({ PORT: '0', DATA_DIR: path })).toBe(
      `Parlor can't start: DATA_DIR must be the path of a folder, but is "${path}"`,
    );
  });

  it.each([
    ['PORT', '80800', 'PORT must be a whole number from 0 to 65535, but is "80800"'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of trace, debug'],
    ['WEBHOOK_RETRY_DELAYS', '5s,soon', 'WEBHOOK_RETRY_DELAYS must be a duration'],
    ['WEBHOOK_TIMEOUT', '30d', 'WEBHOOK_TIMEOUT must be a duration from 1ms to 1d, but is "30d"'],
    ['SECRET_KEY', 'short', 'SECRET_KEY must be at least 32 characters, but is 5 characters'],
    ['PUBLIC_URL', 'chat.example.com', 'PUBLIC_URL must be an http or https URL'],
    ['PUBLIC_URL', 'https://example.com/chat', 'PUBLIC_URL must be an http or https URL without a path'],
    ['TRUST_PROXY', 'true', 'TRUST_PROXY must be false, the number of proxies in front'],
    ['HOST', '192.0.2.1', 'HOST 192.0.2.1 is not an address of this machine'],
    ['HOST', '', 'HOST must be an address or a host name, such as 127.0.0.1, ::1 or 0.0.0.0, but is ""'],
    ['HOST', '[::1]', 'HOST must be an address or a host name'],
    ['EMBEDDED_MONGODB_LISTEN', '0.0.0.0:27017', 'EMBEDDED_MONGODB_LISTEN'],
  ])('a bad %s', async (name, value, line) => {
    const DATA_DIR = join(await temporaryFolder(), 'data');
    const env = { PORT: '0', DATA_DIR, PUBLIC_URL: 'https://chat.example.com', [name]: value };
    expect(await refusal(env)).toContain(line);
  });

  it('a MONGODB_URL without a SECRET_KEY', async () => {
    expect(await refusal({ PORT: '0', MONGODB_URL: 'mongodb://127.0.0.1:1' })).toContain(
      'SECRET_KEY must be set',
    );
  });

  it.each([
    ['mongodb://ada:hidden@127.0.0.1:1', 'mongodb://ada:***@127.0.0.1:1'],
    ['mongodb://a@b.com:hidden@127.0.0.1:1', 'mongodb://a@b.com:***@127.0.0.1:1'],
    [
      'mongodb://127.0.0.1:1/?tls=true&tlsCertificateKeyFilePassword=hidden',
      '&tlsCertificateKeyFilePassword=***',
    ],
  ])('a MONGODB_URL that nobody answers, its password masked: %s', async (MONGODB_URL, shown) => {
    const line = await refusal({ PORT: '0', MONGODB_URL, SECRET_KEY: 'x'.repeat(32) });
    expect(line).toContain(shown);
    expect(line).not.toContain('hidden');
  });

  it('a secret that is no URL of its kind, without a word of it', async () => {
    for (const [name, value] of [
      ['SMTP_URL', 'smtp://ada@example.com:hidden@smtp.example.com:port'],
      ['SMTP_URL', 'smtp://ada:hidden words@smtp.example.com'],
      ['MONGODB_URL', 'mongodb://ada:hidden words@127.0.0.1:1'],
      ['MONGODB_URL', 'ada:hidden%40127.0.0.1'],
    ] as const) {
      const line = await refusal({ PORT: '0', [name]: value });
      expect(line).toMatch(
        new RegExp(`^Parlor can't start: ${name} must be a URL .*, but is ${value.length} characters$`),
      );
    }
  });

  it('a value of many lines, or of very many characters', async () => {
    expect(await refusal({ PORT: '80\n80' })).toMatch(/, but is "80\\n80"$/);
    expect((await refusal({ PORT: '8'.repeat(10_000) })).length).toBeLessThan(300);
  });

  it('an EMBEDDED_MONGODB_LISTEN that nothing can listen on', async () => {
    const DATA_DIR = join(await temporaryFolder(), 'data');
    for (const EMBEDDED_MONGODB_LISTEN of [
      '127.0.0.1:99999',
      '/no/such/folder/db.sock',
      `/${'x'.repeat(100)}`,
    ]) {
      const line = await refusal({ PORT: '0', DATA_DIR, EMBEDDED_MONGODB_LISTEN });
      expect(line).toContain(
        `Parlor can't start: EMBEDDED_MONGODB_LISTEN ${EMBEDDED_MONGODB_LISTEN} can't be used: `,
      );
    }
  });

  it('a bad setting leaves no file behind', async () => {
    const folder = await temporaryFolder();
    await refusal({ PORT: 'x', DATA_DIR: join(folder, 'data') });
    expect(await readdir(folder)).toEqual([]);
  });
});
