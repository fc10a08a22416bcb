import { once } from 'node:events';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openEmbeddedMongodb } from '@parlor/embedded-mongodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { toldToOperator } from '../src/database/database-error.ts';
import { ConfigError } from '../src/platform/config.ts';
import { spawnCommand } from './command-line.ts';
import { withServerHere } from './server-here.ts';
import { GaveUp, serverSettings, startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The one line that a server which can't start leaves on stderr. */
const refusal = async (
  env: Record<string, string>,
  command?: readonly [string, ...string[]],
): Promise<string> => {
  const gaveUp = await startServerProcess(env, command).then(
    () => expect.fail('the server started'),
    (error: unknown) => error,
  );
  if (!(gaveUp instanceof GaveUp)) throw gaveUp;
  expect(gaveUp).toMatchObject({ code: 1, stdout: '' });
  const lines = gaveUp.stderr.trimEnd().split('\n');
  expect(lines, gaveUp.stderr).toHaveLength(1);
  return lines[0] ?? '';
};

/** The line of a start inside of this process, whose error `main.ts` tells as it tells each. */
const refusalHere = async (env: Record<string, string>): Promise<string> => {
  const error = await withServerHere(env, async () => expect.fail('the server started')).catch(
    (thrown: Error) => thrown,
  );
  const told = error instanceof ConfigError ? error.message : toldToOperator(error);
  if (told === undefined) throw error;
  expect(told.split('\n')).toEqual([told]);
  return `Parlor can't start: ${told}`;
};

const starts = (env: Record<string, string>) => withServerHere(env, async () => undefined);

describe('what keeps the server from starting is one clear line', () => {
  it('too few files that may be open at once', async () => {
    const start = 'ulimit -n 200; exec node server/dist/bundle/main.js';
    expect(await refusal(await serverSettings(), ['sh', '-c', start])).toMatch(
      /^Parlor can't start: .*ulimit -n/,
    );
  });

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

describe.skipIf(inject('isRealMongodb'))('a key without the database that it was made for', () => {
  it('is told, and no new database takes its place', { timeout: 120_000 }, async () => {
    const DATA_DIR = join(await temporaryFolder(), 'data');
    const settings = { PORT: '0', DATA_DIR };
    await starts(settings);
    const database = join(DATA_DIR, 'database');
    await rename(database, join(DATA_DIR, '..', 'moved'));
    const lost = `DATA_DIR ${DATA_DIR} can't be used: its database is gone`;
    expect(await refusal(settings)).toContain(lost);
    for (const args of [
      ['account', 'invite'],
      ['keys', 'show'],
    ]) {
      const { code, out, err } = await spawnCommand({ DATA_DIR }, args).result;
      expect([code, out, err]).toEqual([1, '', expect.stringContaining(lost)]);
    }
    // Nor does an empty folder make a difference.
    await mkdir(database);
    expect(await refusalHere(settings)).toContain(lost);
    expect(await readdir(database)).toEqual([]);
    await rmdir(database);
    await rename(join(DATA_DIR, '..', 'moved'), database);
    await starts(settings);

    await rm(database, { recursive: true });
    await rm(join(DATA_DIR, 'secret-key'));
    await starts(settings);
  });

  it('is nothing that a first start leaves which was killed', async () => {
    const DATA_DIR = join(await temporaryFolder(), 'data');
    const { close } = await openEmbeddedMongodb({ dataDir: join(DATA_DIR, 'database') });
    await close();
    await starts({ PORT: '0', DATA_DIR });
    expect(await readdir(DATA_DIR)).toContain('secret-key');
  });
});

// None of these uses the database of the run: once is enough.
describe.skipIf(inject('isRealMongodb'))('what is set wrongly is one clear line, too', () => {
  it('a secret-key that can not be read', async () => {
    const DATA_DIR = join(await temporaryFolder(), 'data');
    const { close } = await openEmbeddedMongodb({ dataDir: join(DATA_DIR, 'database') });
    await close();
    await mkdir(join(DATA_DIR, 'secret-key'));
    const unread = `${join(DATA_DIR, 'secret-key')} can't be read: EISDIR`;
    expect(await refusalHere({ PORT: '0', DATA_DIR })).toContain(unread);
    const { code, err } = await spawnCommand({ DATA_DIR }, ['database', 'check']).result;
    expect([code, err]).toEqual([1, expect.stringMatching(/can't be read: EISDIR.*\n$/)]);
    expect(err).toContain(unread);
  });

  it('a DATA_DIR that can not be made', async () => {
    const file = join(await temporaryFolder(), 'a-file');
    await writeFile(file, 'not a folder');
    expect(await refusalHere({ PORT: '0', DATA_DIR: join(file, 'data') })).toContain(
      `DATA_DIR ${join(file, 'data')}`,
    );
    expect(await refusalHere({ PORT: '0', DATA_DIR: file })).toContain(`DATA_DIR ${file}`);
  });

  // Not even root makes a folder there.
  it.runIf(process.platform === 'linux').each(['/sys/parlor', '/proc/x', '/proc/x/y'])(
    'a DATA_DIR that may not be written: %s',
    async (path) => {
      expect(await refusalHere({ PORT: '0', DATA_DIR: path })).toContain(`DATA_DIR ${path} can't be used: `);
    },
  );

  it.each(['', ' '])('an empty DATA_DIR ("%s")', async (path) => {
    expect(await refusalHere({ PORT: '0', DATA_DIR: path })).toBe(
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
    expect(await refusalHere(env)).toContain(line);
  });

  it('a MONGODB_URL without a SECRET_KEY', async () => {
    expect(await refusalHere({ PORT: '0', MONGODB_URL: 'mongodb://127.0.0.1:1' })).toContain(
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
    const line = await refusalHere({ PORT: '0', MONGODB_URL, SECRET_KEY: 'x'.repeat(32) });
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
      const line = await refusalHere({ PORT: '0', [name]: value });
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
      const line = await refusalHere({ PORT: '0', DATA_DIR, EMBEDDED_MONGODB_LISTEN });
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
