import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { caller, owner } from './rest.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';

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
    await third.end('SIGTERM');
    const inUse = await startServerProcess({ ...settings, PUBLIC_URL: 'https://chat.example.com' });
    expect(inUse.stdout()).toBe(`Parlor is ready: ${inUse.url}/\n`);
    await expect.poll(inUse.stderr).toMatch(/the account of the trial is still here.*account delete demo/);
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

  it('is for its owner only on a socket, about which there is nothing to say, as are its key and data', async () => {
    const { DATA_DIR = '', ...settings } = await serverSettings();
    const path = join(DATA_DIR, 'look.sock');
    const server = await startServerProcess({ ...settings, DATA_DIR, EMBEDDED_MONGODB_LISTEN: path });
    for (const name of ['look.sock', 'secret-key']) {
      expect([name, (await stat(join(DATA_DIR, name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect((await stat(join(DATA_DIR, 'database'))).mode & 0o077).toBe(0);
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
