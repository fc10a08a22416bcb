import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CLI, spawnCommand } from './command-line.ts';
import { giveBackDatabase, takeDatabase } from './databases.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let database = '';
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parlor-cli-'));
  database = await takeDatabase();
});

afterAll(async () => {
  giveBackDatabase(database);
  await rm(directory, { recursive: true });
});

const parlor = (args: string[], { input = '', env = {} } = {}) => {
  const MONGODB_URL = inject('mongodbUrl').replace(/\/(\?|$)/, `/${database}$1`);
  const SECRET_KEY = 'a key for tests of 40 characters, no more';
  return spawnCommand({ MONGODB_URL, SECRET_KEY, ...env }, args, input).result;
};

it('a command that waits for what it reads ends at a signal', { timeout: 60_000 }, async () => {
  const MONGODB_URL = inject('mongodbUrl').replace(/\/(\?|$)/, `/${database}$1`);
  const env = {
    PATH: process.env.PATH,
    MONGODB_URL,
    SECRET_KEY: 'a key for tests of 40 characters, no more',
  };
  const words = ['account', 'create', 'eve', 'eve@example.com', '--password-stdin'];
  const child = spawn(process.execPath, [CLI, ...words], { env });
  const ended = once(child, 'exit');
  child.stdin.write('half a pass');
  // Longer than what stands before the first read.
  await sleep(5_000);
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});

/** The audit trail, oldest first. */
const entries = async () => {
  const connection = await mongoose.createConnection(inject('mongodbUrl'), { dbName: database }).asPromise();
  const found = await connection.collection('auditentries').find().sort({ at: 1 }).toArray();
  await connection.close();
  return found;
};

describe('npm run parlor --', () => {
  it('makes, exports, deletes and imports an account', { timeout: 180_000 }, async () => {
    const made = await parlor(['account', 'create', 'ada', 'ada@example.com']);
    expect([made.code, made.err]).toEqual([0, '']);
    const [, password, token] = /^password (\w{20})\ntoken ([0-9a-f]{40})\n$/.exec(made.out) ?? [];
    expect(password).toBeDefined();
    expect((await parlor(['account', 'token', 'ADA'])).out).toBe(`${token}\n`);
    const reset = (await parlor(['account', 'token', 'ada', '--reset'])).out;
    expect(reset).toMatch(/^[0-9a-f]{40}\n$/);
    expect(reset).not.toBe(`${token}\n`);
    expect((await parlor(['account', 'invite'])).out).toMatch(/^inv1\.[\w-]{36}\.\w+\.[0-9a-f]{64}\n$/);
    expect((await parlor(['account', 'confirm', 'ada'])).out).toBe('confirmed ada@example.com\n');
    const set = await parlor(['account', 'reset-password', 'ada', '--password-stdin'], {
      input: 'quite another secret\n',
    });
    expect([set.code, set.out]).toEqual([0, '']);

    const file = join(directory, 'ada.jsonl');
    expect((await parlor(['export', 'ada', file])).out).toBe(`exported ada to ${file}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).split('\n').length).toBeGreaterThan(2);
    expect((await parlor(['export', 'ada', file])).err).toMatch(/can't be written: EEXIST/);
    expect((await parlor(['account', 'delete', 'ada'])).err).toMatch(/add --yes/);
    expect((await parlor(['account', 'delete', 'ada', '--yes'])).out).toBe('deleted ada\n');
    expect((await parlor(['account', 'token', 'ada'])).err).toMatch(/^there is no member named "ada"\n/);
    expect((await parlor(['import', file])).out).toBe('imported ada\n');
    expect((await parlor(['account', 'token', 'ada'])).out).toBe(reset);
    // The account's people see what the operator did.
    expect((await entries()).map(({ action, actor }) => [action, actor.kind])).toEqual(
      [
        'account create',
        'account token',
        'account token',
        'account confirm',
        'account reset-password',
        'export',
        'import',
        'account token',
      ].map((action) => [action, 'cli']),
    );
  });

  it('takes names that begin with "-"', { timeout: 90_000 }, async () => {
    const name = '--yes';
    const made = await parlor(['account', 'create', '--', name, 'yes@example.com']);
    expect([made.code, made.err]).toEqual([0, '']);
    const file = join(directory, 'yes.jsonl');
    expect((await parlor(['export', '--', name, file])).out).toBe(`exported ${name} to ${file}\n`);
    expect((await parlor(['account', 'delete', '--', name])).err).toMatch(/add --yes/);
    expect((await parlor(['account', 'delete', '--yes', '--', name])).out).toBe(`deleted ${name}\n`);
  });

  it('imports nothing that no route takes, and says where it stands', { timeout: 90_000 }, async () => {
    const account = randomUUID();
    const keyword = {
      _id: randomUUID(),
      account,
      created_at: { $date: '2026-01-01T00:00:00Z' },
      folded: 'a',
    };
    const file = join(directory, 'harmful.jsonl');
    for (const [more, why] of [
      [`a${'\u0315\u0300'.repeat(400_000)}`, 'no more than 100 characters'],
      [`a${'\u0315\u0300'.repeat(16)}`, 'no more than 30 combining marks in a row'],
      ['x'.repeat(12_000_000), 'no more than 100 characters'],
    ]) {
      const lines = [
        { format: 'parlor-account', version: 1, username: 'grace' },
        { keywords: { ...keyword, keyword: more } },
      ];
      await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const { code, err, out } = await parlor(['import', file]);
      const said = `${file}, line 2: an object without a proper keyword: Ensure this field has ${why}.\n`;
      expect([code, err.slice(0, said.length), out]).toEqual([1, said, '']);
    }
  });

  it('says what was wrong in one line, and how it is meant', { timeout: 90_000 }, async () => {
    for (const [args, message] of [
      [['nonsense'], /^unknown command "nonsense"/],
      [['account', 'create'], /^USERNAME is missing\nusage: account create USERNAME EMAIL/],
      [['account', 'create', 'x', 'y@example.com'], /^username: Ensure this field has at least 3 characters/],
      [['account', 'token', 'ada', 'b'], /^too many arguments: b/],
      [['account', 'token', 'ada', '--reset', '--reset'], /^--reset is given twice/],
      [['export', 'ada', ''], /^FILE is empty\nusage: export USERNAME FILE/],
      [['import', ''], /^FILE is empty\nusage: import FILE/],
      [['backup', ''], /^FOLDER is empty\nusage: backup FOLDER/],
    ] as const) {
      const { code, err, out } = await parlor([...args]);
      expect([code, err, out]).toEqual([1, expect.stringMatching(message), '']);
    }
    const MONGODB_URL = 'mongodb://ada:hidden@127.0.0.1:1/%zz';
    const undecodable = await parlor(['account', 'token', 'ada'], { env: { MONGODB_URL } });
    expect(undecodable.err).toBe(
      "MONGODB_URL mongodb://ada:***@127.0.0.1:1/%zz can't be reached: URI malformed\n",
    );
    const { code, err } = await parlor(['account', 'token', 'ada'], { env: { PORT: 'x' } });
    expect([code, err]).toEqual([1, 'PORT must be a whole number from 0 to 65535, but is "x"\n']);
  });

  it('reads its arguments before it begins a database', { timeout: 180_000 }, async () => {
    const env = { MONGODB_URL: '', SECRET_KEY: '', DATA_DIR: join(directory, 'never') };
    for (const [args, message] of [
      [['account', 'create', 'ada'], /^EMAIL is missing\nusage: /],
      [['account', 'create', 'ada', 'nowhere'], /^email: .*\nusage: /],
      [
        ['account', 'create', 'ada', 'ada@example.com', '--what'],
        /^unknown option --what \(a name that begins with "-" goes behind "--"\)\n/,
      ],
      [['account', 'invite', '--help'], /^unknown option --help \(/],
      [['account', 'delete', 'ada'], /^this can not be undone: add --yes\n/],
      [['member', 'role', 'ada', 'king'], /^ROLE is one of owner, admin, operator\n/],
      [['import', join(directory, 'no-file')], /no-file can't be read: ENOENT\n/],
    ] as const) {
      const { code, err, out } = await parlor([...args], { env });
      expect([code, err, out]).toEqual([1, expect.stringMatching(message), '']);
    }
    await expect(readdir(env.DATA_DIR)).rejects.toThrow('ENOENT');
  });

  it('refuses where there is no database, and makes none', { timeout: 180_000 }, async () => {
    const missing = join(directory, 'missing');
    const none = `${inject('databasePrefix')}none_${randomUUID().slice(0, 8)}`;
    const MONGODB_URL = inject('mongodbUrl').replace(/\/(\?|$)/, `/${none}$1`);
    const needed = 'MONGODB_URL or DATA_DIR has to be what the server runs with\n';
    for (const args of [
      ['backup', join(directory, 'backup')],
      ['keys', 'show'],
      ['keys', 'rotate'],
      ['export', 'ada', join(directory, 'nobody.jsonl')],
      ['account', 'token', 'ada'],
      ['account', 'delete', 'ada', '--yes'],
      ['member', 'list', 'ada'],
    ]) {
      const onFolder = await parlor(args, { env: { MONGODB_URL: '', SECRET_KEY: '', DATA_DIR: missing } });
      expect(onFolder).toEqual({
        code: 1,
        out: '',
        err: `there is no embedded database in ${join(missing, 'database')}: ${needed}`,
      });
    }
    const onMongodb = await parlor(['keys', 'show'], { env: { MONGODB_URL } });
    expect(onMongodb).toMatchObject({ code: 1, out: '' });
    expect(onMongodb.err).toMatch(/^there is no database of Parlor in MONGODB_URL \S+: /);
    expect(onMongodb.err).toContain(needed);
    await expect(readdir(missing)).rejects.toThrow('ENOENT');
    const connection = await mongoose.createConnection(MONGODB_URL).asPromise();
    expect(await connection.listCollections()).toEqual([]);
    await connection.close();
  });

  it('refuses an option that npm took, since no "--" stood before it', { timeout: 180_000 }, () => {
    const npm = (...args: string[]) => {
      const { PATH, HOME } = process.env;
      const shell = process.platform === 'win32';
      const run = spawnSync('npm', ['run', '--silent', 'parlor', ...args], {
        encoding: 'utf8',
        env: { PATH, HOME, MONGODB_URL: 'mongodb://127.0.0.1:1', SECRET_KEY: 'x'.repeat(40) },
        shell,
      });
      return [run.status, run.stdout, run.stderr.split('\n').findLast((line) => line !== '')];
    };
    const words = (option: string, mend = 'put "--" first') =>
      expect.stringMatching(new RegExp(`^${option} is npm's .*${mend}`));
    expect(npm('account', 'token', 'ada', '--reset')).toEqual([1, '', words('--reset')]);
    expect(npm('account', 'delete', 'ada', '--yes')).toEqual([
      1,
      '',
      words('--yes', 'put it behind the "--"'),
    ]);
    expect(npm('database', 'copy', '--from', 'mongodb://127.0.0.1:1')).toEqual([1, '', words('--from')]);
    expect(npm('--', 'account', 'delete', 'ada')).toEqual([1, '', 'usage: account delete USERNAME --yes']);
  });

  it('takes a file for one of the folder that it is typed in, through npm, too', {
    timeout: 180_000,
  }, async () => {
    await parlor(['account', 'create', 'typed', 'typed@example.com']);
    const typedIn = await realpath(directory);
    const MONGODB_URL = inject('mongodbUrl').replace(/\/(\?|$)/, `/${database}$1`);
    const npm = (...args: string[]) => {
      const { PATH, HOME } = process.env;
      const run = spawnSync('npm', ['--prefix', ROOT, 'run', '--silent', 'parlor', '--', ...args], {
        cwd: typedIn,
        encoding: 'utf8',
        env: { PATH, HOME, MONGODB_URL, SECRET_KEY: 'a key for tests of 40 characters, no more' },
        shell: process.platform === 'win32',
      });
      return [run.stdout, run.stderr];
    };
    const file = join(typedIn, 'typed.jsonl');
    expect(npm('export', 'typed', 'typed.jsonl')).toEqual([`exported typed to ${file}\n`, '']);
    expect(await readdir(typedIn)).toContain('typed.jsonl');
    const refused = npm('import', './typed.jsonl');
    expect(refused[1]).toContain(`${file}, `);
    await parlor(['account', 'delete', 'typed', '--yes']);
    expect(npm('import', './typed.jsonl')).toEqual(['imported typed\n', '']);
  });

  it.skipIf(process.platform !== 'linux')('fails in one line where its result can not be printed', () => {
    const onFullDisk = `"${process.execPath}" "${CLI}" help >/dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', onFullDisk], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, "the result can't be printed: ENOSPC\n"]);
  });

  it('shows its help, and every setting without secrets', async () => {
    expect((await parlor([])).out).toMatch(/account create USERNAME EMAIL/);
    const { out } = await parlor(['config']);
    expect(out).toMatch(/^RATE_LIMIT=on$/m);
    expect(out).toMatch(/^SECRET_KEY=\*\*\*$/m);
  });

  it('shows settings that no start takes as well, and fails with what that would say', async () => {
    const { code, out, err } = await parlor(['config'], { env: { PUBLIC_URL: 'https://example.com/p' } });
    expect(code).toBe(1);
    expect(out).toMatch(/^PUBLIC_URL=https:\/\/example.com\/p$/m);
    expect(err).toMatch(/^PUBLIC_URL must be [^\n]+ without a path[^\n]+\n$/);
  });
});
