/** The data directory: who may open it, what is refused, what a full disk does. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { open } from 'lmdb';
import { MongoClient } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { checkDataDir, EmbeddedMongodbError, openEmbeddedMongodb } from '../dist/index.js';
import { BIN, startBin, temporaryFolder } from './bin-process.ts';

const OPEN_AND_CLOSE = fileURLToPath(new URL('./open-and-close.mjs', import.meta.url));

const READER = fileURLToPath(new URL('./reader.mjs', import.meta.url));

const folder = temporaryFolder();
afterAll(() => folder.remove());

const refusal = async (options: { dataDir: string; listen?: string }) => {
  const failed = await openEmbeddedMongodb(options).then(
    (opened) => opened.close(),
    (error) => error,
  );
  expect(failed).toBeInstanceOf(EmbeddedMongodbError);
  const { code, message } = failed as EmbeddedMongodbError;
  expect(message).not.toContain('\n');
  return { code, message };
};

test('one process owns the directory, and a killed one owns it no longer', async () => {
  const dataDir = join(folder.path, 'owned');
  const owner = await startBin(dataDir, join(folder.path, 'a.sock'));
  await expect(startBin(dataDir, join(folder.path, 'b.sock'))).rejects.toThrow(
    `another process is using the data directory ${dataDir}`,
  );
  expect(await refusal({ dataDir })).toMatchObject({
    code: 'LOCKED',
    message: expect.stringContaining(dataDir),
  });
  // Those who came too late have not taken the lock from the owner.
  expect(await refusal({ dataDir })).toMatchObject({ code: 'LOCKED' });
  const client = await MongoClient.connect(owner.url);
  await client.db('x').collection('y').insertOne({ a: 1 });
  await client.close();
  await owner.end('SIGKILL');
  const next = await openEmbeddedMongodb({ dataDir });
  expect(await refusal({ dataDir })).toMatchObject({ code: 'LOCKED' });
  const again = await MongoClient.connect(next.url);
  expect(await again.db('x').collection('y').countDocuments()).toBe(1);
  await again.close();
  await next.close();
  const last = await openEmbeddedMongodb({ dataDir });
  await last.close();
});

test('one whose last copy is still being made is locked until that has ended', async () => {
  const dataDir = join(folder.path, 'copied');
  await (await openEmbeddedMongodb({ dataDir })).close();
  const reader = spawn(process.execPath, [READER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(reader.stdout, 'data');
  for (let i = 0; i < 2; i++) expect(await refusal({ dataDir })).toMatchObject({ code: 'LOCKED' });
  // Ended while the next owner tries again.
  setTimeout(() => reader.kill('SIGKILL'), 150);
  await (await openEmbeddedMongodb({ dataDir })).close();
});

test.each([
  ['zeros', Buffer.alloc(8192)],
  ['another file', Buffer.from('hello')],
  ['half of it', undefined],
])('a claim that is damaged (%s) is told, and can be removed', async (_, bytes) => {
  const dataDir = mkdtempSync(join(folder.path, 'claim-'));
  await (await openEmbeddedMongodb({ dataDir })).close();
  const file = join(dataDir, 'in-use.mdb');
  writeFileSync(file, bytes ?? readFileSync(file).subarray(0, 4096));
  expect(await refusal({ dataDir })).toEqual({
    code: 'DAMAGED',
    message: `in-use.mdb in ${dataDir}, which holds no data, is damaged: remove it while nothing uses the directory`,
  });
  rmSync(file);
  await (await openEmbeddedMongodb({ dataDir })).close();
});

test('of several that start at once, one wins', async () => {
  const dataDir = join(folder.path, 'race');
  const starts = Array.from({ length: 4 }, (_, i) => startBin(dataDir, join(folder.path, `race${i}.sock`)));
  const settled = await Promise.allSettled(starts);
  const running = settled.filter((start) => start.status === 'fulfilled');
  expect(running).toHaveLength(1);
  for (const { value } of running) await value.end('SIGTERM');
});

test('what can not be used is named', async () => {
  const file = join(folder.path, 'file');
  writeFileSync(file, 'x');
  expect(await refusal({ dataDir: file })).toMatchObject({
    code: 'UNWRITABLE',
    message: expect.stringContaining(file),
  });
  const below = join(file, 'below');
  expect(await refusal({ dataDir: below })).toMatchObject({
    code: 'UNWRITABLE',
    message: expect.stringContaining(below),
  });
  for (const name of ['data.mdb', 'lock.mdb']) {
    const odd = join(folder.path, `odd-${name}`);
    mkdirSync(join(odd, name), { recursive: true });
    expect(await refusal({ dataDir: odd })).toMatchObject({
      code: 'UNWRITABLE',
      message: `the data directory ${odd} can't be used: ${name} is not a file`,
    });
  }
  const foreign = join(folder.path, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'data.mdb'), 'this is no database'.repeat(1000));
  expect(await refusal({ dataDir: foreign })).toMatchObject({
    code: 'FORMAT',
    message: expect.stringContaining(foreign),
  });
});

test('a data file that was emptied or removed is not taken for a new database', async () => {
  const dataDir = join(folder.path, 'emptied');
  const file = join(dataDir, 'data.mdb');
  mkdirSync(dataDir);
  writeFileSync(file, '');
  await (await openEmbeddedMongodb({ dataDir })).close();
  // As an older version left it: the next start marks it.
  rmSync(join(dataDir, 'made'));
  await (await openEmbeddedMongodb({ dataDir })).close();
  const whole = readFileSync(file);
  const refused = { code: 'DAMAGED', message: expect.stringContaining('is empty or gone') };
  writeFileSync(file, '');
  expect(await refusal({ dataDir })).toMatchObject(refused);
  await expect(checkDataDir(dataDir)).rejects.toMatchObject(refused);
  rmSync(file);
  expect(await refusal({ dataDir })).toMatchObject(refused);
  writeFileSync(file, whole);
  await (await openEmbeddedMongodb({ dataDir })).close();
});

test('the bin makes no database in a directory of other files, nor in one that has one inside', async () => {
  const socket = join(folder.path, 'other.sock');
  const parlor = join(folder.path, 'data');
  await (await openEmbeddedMongodb({ dataDir: join(parlor, 'database') })).close();
  const other = join(folder.path, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'notes.txt'), '');
  for (const [dataDir, why] of [
    [parlor, `but there is one in ${join(parlor, 'database')}`],
    [other, 'and none is made beside other files, such as notes.txt'],
  ] as const) {
    const before = readdirSync(dataDir);
    const message = `there is no embedded database in ${dataDir}, ${why}`;
    await expect(startBin(dataDir, socket)).rejects.toThrow(message);
    const { status, stderr } = spawnSync(process.execPath, [BIN, '--check', dataDir], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, `${message}\n`]);
    expect(readdirSync(dataDir)).toEqual(before);
  }
  const disk = join(folder.path, 'lost');
  mkdirSync(join(disk, 'lost+found'), { recursive: true });
  for (const dataDir of [disk, disk, join(parlor, 'database')])
    expect(await (await startBin(dataDir, socket)).end('SIGTERM')).toBe(0);
});

test('whoever opens a directory while another one closes it is told that it is locked', async () => {
  const dataDir = join(folder.path, 'crowded');
  const openAndClose = async () => {
    const stdio = ['ignore', 'pipe', 'ignore'] as ('ignore' | 'pipe')[];
    const child = spawn(process.execPath, [OPEN_AND_CLOSE, dataDir], { stdio });
    return child.stdout ? text(child.stdout) : '';
  };
  // A failure ends with its process: the next round finds the directory as it was.
  for (let round = 0; round < 3; round++) {
    for (const said of await Promise.all([openAndClose(), openAndClose(), openAndClose()]))
      expect(said).toMatch(/^$|^LOCKED another process (is using|was closing) the data directory/);
  }
  await (await openEmbeddedMongodb({ dataDir })).close();
});

test('a newer format is left alone', async () => {
  const dataDir = join(folder.path, 'newer');
  await (await openEmbeddedMongodb({ dataDir })).close();
  const root = open(dataDir, {
    keyEncoding: 'binary',
    encoding: 'binary',
    overlappingSync: false,
    noSubdir: false,
  });
  const meta = root.openDB('meta', { keyEncoding: 'binary', encoding: 'binary' });
  meta.putSync(Buffer.from('format'), Buffer.from('parlor-embedded-mongodb 99'));
  await root.close();
  const { code, message } = await refusal({ dataDir });
  expect(code).toBe('FORMAT');
  expect(message).toContain(dataDir);
  expect(message).toContain('format 99');
});

test('listening: private by default, loopback or a socket of its user beside it, nothing else', async () => {
  for (const listen of [
    '0.0.0.0:27017',
    '192.168.1.1:27017',
    '[::]:27017',
    'example.com:1',
    '127.0.0.1:99999',
  ]) {
    expect(await refusal({ dataDir: join(folder.path, 'listen'), listen })).toMatchObject({
      code: 'LISTEN',
      message: expect.stringContaining(listen),
    });
  }
  const socket = join(folder.path, 'beside.sock');
  const before = new Set(readdirSync(tmpdir()));
  const database = await openEmbeddedMongodb({ dataDir: join(folder.path, 'listen'), listen: socket });
  const made = readdirSync(tmpdir()).filter((name) => name.startsWith('parlor-') && !before.has(name));
  for (const name of made) expect(statSync(join(tmpdir(), name)).mode & 0o777).toBe(0o700);
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder.path, 'listen')).mode & 0o777).toBe(0o700);
  for (const url of [database.url, database.listenUrl as string]) {
    const client = await MongoClient.connect(url);
    expect(await client.db('x').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
  }
  await database.close();
  expect(existsSync(socket)).toBe(false);
  // A socket file that a killed process left behind is no hindrance.
  const killed = await startBin(join(folder.path, 'listen'), socket);
  await killed.end('SIGKILL');
  expect(existsSync(socket)).toBe(true);
  const left = readFileSync(join(folder.path, 'listen', 'socket-folder'), 'utf8');
  expect(existsSync(left)).toBe(true);
  await (await startBin(join(folder.path, 'listen'), socket)).end('SIGTERM');
  expect(existsSync(left)).toBe(false);
  const next = await startBin(join(folder.path, 'listen'), socket);
  expect(await next.end('SIGTERM')).toBe(0);
});

test.skipIf(process.platform === 'win32')(
  'a limit for the size of files refuses writes, loses nothing, and reading goes on',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'pem-full-'));
    const socket = join(folder.path, 'full.sock');
    // It stands for a quota, too, of which the disk's free space tells nothing: 8 192 blocks of 512 or 1 024 bytes.
    const child = spawn('sh', [
      '-c',
      `ulimit -f 8192; exec "$0" "$@"`,
      process.execPath,
      BIN,
      dataDir,
      socket,
    ]);
    let log = '';
    child.stderr.on('data', (text) => {
      log += text;
    });
    const [line] = await new Promise<Buffer[]>((resolve) =>
      child.stdout.once('data', (...got) => resolve(got)),
    );
    const client = await MongoClient.connect(String(line).trim());
    const things = client.db('full').collection<{ _id: number; text: string }>('things');
    let stored = 0;
    const failure = await (async () => {
      for (; stored < 5000; stored++) await things.insertOne({ _id: stored, text: 'x'.repeat(5000) });
    })().catch((error) => error);
    expect(failure).toMatchObject({ code: 14031, message: expect.stringContaining('disk is full') });
    expect(await things.countDocuments()).toBe(stored);
    const more = Array.from({ length: 10 }, (_, i) =>
      things.insertOne({ _id: -1 - i, text: 'y'.repeat(20_000) }),
    );
    for (const { status } of await Promise.allSettled(more)) expect(status).toBe('rejected');
    expect((await things.findOne({ _id: stored - 1 }))?.text).toHaveLength(5000);
    expect((await client.db('full').command({ validate: 'things' })).errors).toEqual([]);
    await client.close();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect([await ended, log]).toEqual([0, '']);
    rmSync(dataDir, { recursive: true });
  },
);
