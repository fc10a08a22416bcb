import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { CLI, spawnCommand } from './command-line.ts';
import { caller, owner } from './rest.ts';
import { type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';
import { afterThem, oneOwner } from './shared-server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './webhooks-parts.ts';

const parlor = (settings: Record<string, string>, ...args: string[]) => spawnCommand(settings, args).result;

const statusOf = async ({ url }: ServerProcess, token: string): Promise<number> =>
  (await caller(url, `Token ${token.trim()}`)('GET', '/api/v1/rooms/')).status;

/** A server for all tests that neither end it nor have settings of their own; each has accounts of its own. */
let settings: Record<string, string>;
let server: ServerProcess;
const atEnd = afterThem();
beforeAll(async () => {
  settings = { ...(await serverSettings(atEnd)), RATE_LIMIT: 'off' };
  server = await startServerProcess(settings, undefined, atEnd);
});

it('works on accounts while the server runs, which follows at once', { timeout: 180_000 }, async () => {
  const made = await parlor(settings, 'account', 'create', 'ada', 'ada@example.com');
  expect(made).toMatchObject({ code: 0, err: '' });
  const token = /^token (\w{40})$/m.exec(made.out)?.[1] ?? '';
  expect(await statusOf(server, token)).toBe(200);

  const rest = caller(server.url, `Token ${token}`);
  const { json: room } = await rest('POST', '/api/v1/rooms/', {});
  const body = `line\u2028separators, \u{1f4a1} ${'long '.repeat(1_900)}`;
  await rest('POST', '/api/v1/messages/', { body, room: { uuid: room.uuid } });

  const reset = await parlor(settings, 'account', 'token', 'ada', '--reset');
  expect(reset).toMatchObject({ code: 0, err: '' });
  expect([await statusOf(server, token), await statusOf(server, reset.out)]).toEqual([401, 200]);
  const set = spawnCommand(
    settings,
    ['account', 'reset-password', 'ada', '--password-stdin'],
    'quite another secret\r\n',
  );
  expect(await set.result).toEqual({ code: 0, out: '', err: '' });
  const signedIn = await caller(server.url)('POST', '/api/v1/auth/api-token', {
    username: 'ada',
    password: 'quite another secret',
  });
  expect(signedIn).toEqual({ status: 200, json: { token: reset.out.trim() } });

  const file = join(await temporaryFolder(), 'ada.jsonl');
  expect(await parlor(settings, 'export', 'ada', file)).toMatchObject({ code: 0, err: '' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await parlor(settings, 'export', 'ada', file)).err).toMatch(/can't be written: EEXIST/);
  expect(await parlor(settings, 'account', 'delete', 'ada', '--yes')).toMatchObject({ code: 0, err: '' });
  expect(await statusOf(server, reset.out)).toBe(401);
  // As an editor of Windows may have left it.
  await writeFile(file, `\ufeff${await readFile(file, 'utf8')}`);
  expect(await parlor(settings, 'import', file)).toEqual({ code: 0, out: 'imported ada\n', err: '' });
  const { json: messages } = await caller(server.url, `Token ${reset.out.trim()}`)(
    'GET',
    '/api/v1/messages/',
  );
  expect(messages).toMatchObject([{ body }]);

  const again = await parlor(settings, 'import', file);
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('usage: import FILE') });
  expect((await parlor(settings, 'account', 'token', 'nobody')).err).toMatch(
    /^there is no member named "nobody"\nusage: /,
  );
  expect(server.stderr()).not.toContain(reset.out.trim());
});

it.skipIf(inject('isRealMongodb'))(
  'export: a server that is killed meanwhile leaves no file, and the second one works',
  { timeout: 90_000 },
  async () => {
    const settings = await serverSettings();
    const server = await startServerProcess({ ...settings, RATE_LIMIT: 'off' });
    const { rest } = await owner(server.url);
    const { json: room } = await rest('POST', '/api/v1/rooms/', {});
    const message = { body: 'x'.repeat(8_000), nickname: 'Grace', room: { uuid: room.uuid } };
    for (let i = 0; i < 600; i += 50) {
      const sent = Array.from({ length: 50 }, () => rest('POST', '/api/v1/messages/', message));
      for (const { status } of await Promise.all(sent)) expect(status).toBe(201);
    }
    const folder = await temporaryFolder();
    const file = join(folder, 'ada.jsonl');
    const watcher = watch(folder);
    const { result } = spawnCommand(settings, ['export', 'ada', file]);
    // As soon as there is a file: all of it takes much longer.
    await once(watcher, 'change');
    await server.end('SIGKILL');
    watcher.close();
    expect(await result).toMatchObject({ code: 1, err: expect.stringContaining('give it again') });
    expect(await readdir(folder)).toEqual([]);

    const exported = await parlor(settings, 'export', 'ada', file);
    expect(exported).toMatchObject({ code: 0, out: `exported ada to ${file}\n` });
    expect(await readdir(folder)).toEqual(['ada.jsonl']);
    // Of a command that was killed itself.
    await writeFile(`${file}-2.partial`, '');
    const refused = await parlor(settings, 'export', 'ada', `${file}-2`);
    expect(refused.err).toContain(`${file}-2.partial is there, of a command that runs or was interrupted`);
  },
);

describe.skipIf(inject('isRealMongodb'))(
  'the private socket of the embedded database',
  { timeout: 90_000 },
  () => {
    const socketOf = ({ DATA_DIR = '' }: Record<string, string>) => join(DATA_DIR, 'commands.sock');

    // Only Linux has a way around the short names that sockets may have.
    const long = process.platform === 'linux' ? ['d'.repeat(120), 'e'.repeat(120)] : [];

    it('is for its owner only, is found however long its path is, and goes with the server', async () => {
      const { DATA_DIR: folder = '', ...others } = await serverSettings();
      const settings = { ...others, DATA_DIR: join(folder, ...long) };
      const { DATA_DIR } = settings;
      const server = await startServerProcess(settings);
      expect((await stat(socketOf(settings))).mode & 0o777).toBe(0o600);
      const token = await parlor({ DATA_DIR }, 'account', 'token', 'demo');
      expect(token).toEqual({ code: 0, out: expect.stringMatching(/^\w{40}\n$/), err: '' });
      expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
      await expect(stat(socketOf(settings))).rejects.toThrow('ENOENT');
      expect(await parlor({ DATA_DIR }, 'account', 'token', 'demo')).toEqual(token);
    });

    /** How many sockets the command line has, the listening one among them. */
    const connections = async ({ DATA_DIR }: Record<string, string>) => {
      const open = await readFile('/proc/net/unix', 'utf8');
      return open.split('\n').filter((line) => line.includes(String(DATA_DIR))).length;
    };

    it.runIf(process.platform === 'linux')('ends where a file is refused that is not read on', async () => {
      const listening = await connections(settings);
      const file = join(await temporaryFolder(), 'large.jsonl');
      const line = `${JSON.stringify({ rooms: { _id: 'x', name: 'y'.repeat(1_000) } })}\n`;
      await writeFile(file, `{"format":"parlor-account","version":1}\n${line.repeat(4_000)}`);
      const refused = await parlor(settings, 'import', file);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('line 2: an object of') });
      await until(async () => (await connections(settings)) === listening);
    });

    it.runIf(process.platform === 'linux')(
      'says so when the server is killed under a command, and what that leaves keeps nobody from anything',
      async () => {
        const settings = await serverSettings();
        const server = await startServerProcess(settings);
        const listening = await connections(settings);
        // Stopped, it reads nothing of the command.
        process.kill(server.pid, 'SIGSTOP');
        const command = parlor(settings, 'keys', 'rotate');
        await until(async () => (await connections(settings)) > listening);
        await server.end('SIGKILL');
        const err = 'the server was stopped before the command had ended: give it again\n';
        expect(await command).toEqual({ code: 1, out: '', err });

        expect((await stat(socketOf(settings))).isSocket()).toBe(true);
        const token = await parlor(settings, 'account', 'token', 'demo');
        expect(token).toMatchObject({ code: 0, err: '' });
        const next = await startServerProcess(settings);
        expect(await statusOf(next, token.out)).toBe(200);
        expect((await parlor(settings, 'account', 'token', 'demo')).out).toBe(token.out);
      },
    );

    it.skipIf(process.platform === 'win32')(
      'says so when the server does not answer, which does nothing of it when it goes on',
      async () => {
        const token = await parlor(settings, 'account', 'token', 'demo');
        const logged = server.stderr().length;
        process.kill(server.pid, 'SIGSTOP');
        const refused = await parlor(settings, 'account', 'token', 'demo', '--reset');
        process.kill(server.pid, 'SIGCONT');
        const err = expect.stringMatching(/^the server that has the database open does not answer, .*\n$/);
        expect(refused).toEqual({ code: 1, out: '', err });
        await until(async () => server.stderr().slice(logged).includes('command failed'));
        expect(await parlor(settings, 'account', 'token', 'demo')).toEqual(token);
      },
    );

    it('answers what is no command with an error, and the server goes on', async () => {
      const answer = async (sent: string): Promise<unknown[]> => {
        const socket = connect(socketOf(settings));
        await once(socket, 'connect');
        socket.end(sent);
        const frames = await text(socket);
        return frames.split('\n').flatMap((frame) => (frame === '' ? [] : JSON.parse(frame)));
      };
      const refusal = { error: expect.any(String), isUsage: expect.any(Boolean) };
      for (const sent of [
        'GET / HTTP/1.1\r\n\r\n',
        '[]\n"words"\nnull\n',
        'null\n',
        '{"words":["__proto__"]}\n',
        '{"words":[{},1]}\n',
        '{"words":"account token"}\n',
        '{"words":["database","check"]}\n',
      ]) {
        expect([sent, await answer(sent)]).toEqual([sent, [refusal]]);
      }
      expect(await answer('')).toEqual([]);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    });
  },
);

it('lets in again a member that has locked itself out', async () => {
  const { rest, username } = await oneOwner(server.url);
  const invited = (await rest('POST', '/api/v1/members/', { email: 'grace@example.com' })).json;
  const grace = { username: 'grace', password: 'a long enough secret' };
  const accepted = { ...grace, password2: grace.password, token: invited.invite_url.split('=')[1] };
  await rest('POST', '/api/v1/auth/accept-invitation', accepted);
  const signIn = async () => (await caller(server.url)('POST', '/api/v1/auth/api-token', grace)).json;
  const { token } = await signIn();
  const own = caller(server.url, `Token ${token}`);

  expect((await parlor(settings, 'member', 'list', username)).out).toBe(
    `operator grace grace@example.com\nowner ${username} ${username}@example.com\n`,
  );
  const { secret } = (await own('POST', '/api/v1/auth/totp', { password: grace.password })).json;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  expect((await own('POST', '/api/v1/auth/totp/confirm', { code })).status).toBe(200);
  expect(await signIn()).toEqual({ code: ['A code is required.'] });
  expect(await parlor(settings, 'member', 'reset-totp', 'grace')).toMatchObject({ code: 0, err: '' });
  expect(await signIn()).toEqual({ token });

  expect(await parlor(settings, 'member', 'role', 'grace', 'admin')).toMatchObject({ code: 0, err: '' });
  expect((await own('GET', '/api/v1/webhooks/')).status).toBe(200);
  expect((await parlor(settings, 'member', 'role', username, 'admin')).err).toContain('at least one owner');
  expect((await parlor(settings, 'member', 'role', 'nobody', 'admin')).err).toContain('no member named');
  expect(await parlor(settings, 'member', 'sign-out', 'grace')).toMatchObject({ code: 0, err: '' });
  expect((await own('GET', '/api/v1/members/me/')).status).toBe(401);
});

const MORE_LINES = 'password: stdin has more than one line: give the password alone';

it('sets no password that nobody could sign in by', async () => {
  const { username } = await oneOwner(server.url);
  const set = (input: string | Buffer) =>
    spawnCommand(settings, ['account', 'reset-password', username, '--password-stdin'], input).result;
  for (const [input, refusal] of [
    ['', 'password: This field may not be blank.'],
    ['a long\0secret', 'password: Null characters are not allowed.'],
    ['a long secret\n\n', MORE_LINES],
    ['a long secret\r\nurl: https://example.com\r\n', MORE_LINES],
    ['a long\rsecret', MORE_LINES],
    ['long '.repeat(201), 'password: Ensure this field has no more than 1000 characters.'],
    [Buffer.from('gr\u00fcner Schl\u00fcssel', 'latin1'), 'stdin, line 1 is not UTF-8'],
  ] as const) {
    const usage = 'usage: account reset-password USERNAME [--password-stdin]';
    expect(await set(input)).toEqual({ code: 1, out: '', err: `${refusal}\n${usage}\n` });
  }
  const signIn = async (password: string) =>
    (await caller(server.url)('POST', '/api/v1/auth/api-token', { username, password })).status;
  // As some systems write it, and as all browsers' requests are read.
  const password = 'gr\u00fcner Schl\u00fcssel';
  expect(await set(password.normalize('NFD'))).toEqual({ code: 0, out: '', err: '' });
  expect(await signIn(password)).toBe(200);
  // As editors of Windows write it.
  expect(await set('\ufeffanother long secret\r\n')).toEqual({ code: 0, out: '', err: '' });
  expect(await signIn('another long secret')).toBe(200);
});

it('reads no more of a password than one may have, however much there is', async () => {
  const { username } = await oneOwner(server.url);
  const child = spawn(process.execPath, [CLI, 'account', 'reset-password', username, '--password-stdin'], {
    env: { PATH: process.env.PATH, ...settings },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const endless = new Readable({ read: () => endless.push('a line of what is no password\n'.repeat(1_000)) });
  // It stops reading at some time.
  pipeline(endless, child.stdin).catch(() => undefined);
  expect(await text(child.stderr)).toContain(MORE_LINES);
  expect(await ended).toEqual([1, null]);
});
