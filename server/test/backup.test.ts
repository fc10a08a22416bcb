import { cp, mkdir, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDataDir, openEmbeddedMongodb } from '@parlor/embedded-mongodb';
import mongoose from 'mongoose';
import { expect, inject, it, onTestFinished } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { withServerHere } from './server-here.ts';
import { GaveUp, startServerProcess } from './server-process.ts';

const COPIES = 8;

const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const parlor = (env: Record<string, string>, args: string[]) => spawnCommand(env, args, '').result;

it.skipIf(inject('isRealMongodb'))(
  `${COPIES} copies taken while writing are whole, with all that was acknowledged before`,
  { timeout: 120_000 },
  async () => {
    const folder = await temporaryFolder();
    const database = await openEmbeddedMongodb({ dataDir: join(folder, 'database') });
    const client = await mongoose.mongo.MongoClient.connect(database.url);
    const written = client.db('parlor').collection<{ _id: number; n: number; text: string }>('written');
    await written.createIndex({ n: 1 });
    let acknowledged = 0;
    let isWriting = true;
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let i = writer; isWriting; i += 4) {
        await written.insertOne({ _id: i, n: -i, text: `${i} ${'x'.repeat(2_000)}` });
        // What is copied has to hold as many as this says when it begins, whoever wrote them.
        acknowledged++;
        if (i % 5 === 0)
          await written.updateOne(
            { _id: i },
            { $inc: { n: i }, $set: { text: `changed ${'y'.repeat(i % 6_000)}` } },
          );
      }
    });
    for (let i = 0; i < COPIES; i++) {
      const copy = join(folder, `copy${i}`);
      const before = acknowledged;
      await mkdir(copy);
      await database.copyTo(copy);
      const { documents, errors } = await checkDataDir(copy);
      expect(errors).toEqual([]);
      expect(documents).toBeGreaterThanOrEqual(before);
    }
    isWriting = false;
    await Promise.all(writers);
    await client.close();
    await database.close();
  },
);

it.skipIf(inject('isRealMongodb'))(
  'backup: of a running server, with its key; what was backed up starts, and nothing is overwritten',
  { timeout: 180_000 },
  async () => {
    const folder = await temporaryFolder();
    const DATA_DIR = join(folder, 'data');
    const backup = join(folder, 'backup');
    const server = await startServerProcess({ PORT: '0', DATA_DIR, TMPDIR: folder });
    const token = /API token {3}([0-9a-f]{40})/.exec(server.stdout())?.[1];
    const made = await parlor({ DATA_DIR }, ['backup', backup]);
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toMatch(/^backed up \d+ collections, \d+ documents to \S+; all verified\n/);
    const fingerprint = (await parlor({ DATA_DIR }, ['keys', 'show'])).out.trim().split(' ').at(-1);
    const inFolder = join(backup, 'secret-key');
    expect(made.out).toContain(
      `the key that belongs to it is ${inFolder} (its fingerprint is ${fingerprint})\n`,
    );
    for (const file of ['secret-key', 'database/data.mdb', 'database/made']) {
      expect([file, (await stat(join(backup, file))).mode & 0o777]).toEqual([file, 0o600]);
    }
    const again = await parlor({ DATA_DIR }, ['backup', backup]);
    expect(again.code).toBe(1);
    expect(again.err).toContain(`${backup} is there already`);
    await server.end('SIGTERM');

    const restored = await startServerProcess({ PORT: '0', DATA_DIR: backup, TMPDIR: folder });
    const headers = { Authorization: `Token ${token}` };
    expect((await fetch(`${restored.url}/api/v1/widgets/`, { headers })).status).toBe(200);
    await restored.end('SIGTERM');

    // Nor does it need a server.
    const SECRET_KEY = await readFile(join(DATA_DIR, 'secret-key'), 'utf8');
    const offline = await parlor({ DATA_DIR, SECRET_KEY }, ['backup', join(folder, 'offline')]);
    expect(offline.err).toBe('');
    expect(offline.out).toContain(
      `is what SECRET_KEY is set to, and not in the folder (its fingerprint is ${fingerprint})\n`,
    );

    // Whoever goes back to it without the key, or with another, is told which it needs; and none is made.
    const start = (env: Record<string, string>) =>
      startServerProcess({ PORT: '0', DATA_DIR: join(folder, 'offline'), TMPDIR: folder, ...env });
    const needed = new RegExp(
      `^Parlor can't start: DATA_DIR .*: its database needs .* ${fingerprint}: set SECRET_KEY`,
    );
    expect(String((await start({}).catch((error) => error)).stderr)).toMatch(needed);
    expect(await readdir(join(folder, 'offline'))).not.toContain('secret-key');
    const other = await start({ SECRET_KEY: 'x'.repeat(40) }).catch((error) => error);
    expect(other.stderr).toMatch(
      new RegExp(`SECRET_KEY is not the one of this database.* ${fingerprint}\\.`),
    );
    await (await start({ SECRET_KEY })).end('SIGTERM');
  },
);

it.skipIf(inject('isRealMongodb'))(
  'a key file that is none of the database is told, and a backup holds the key that the server runs with',
  { timeout: 180_000 },
  async () => {
    const folder = await temporaryFolder();
    const settings = { DATA_DIR: join(folder, 'data'), TMPDIR: folder };
    const file = join(settings.DATA_DIR, 'secret-key');
    const server = await startServerProcess({ PORT: '0', ...settings });
    const key = await readFile(file, 'utf8');
    for (const [i, wrong] of ['', 'x'.repeat(64)].entries()) {
      await writeFile(file, wrong);
      const backup = join(folder, `backup${i}`);
      const made = await parlor(settings, ['backup', backup]);
      expect(made).toMatchObject({
        code: 1,
        out: expect.stringMatching(/^backed up .*; all verified\n.*\(its fingerprint is \w{16}\)\n$/),
        err: expect.stringContaining(`${file} is not the key of this database`),
      });
      expect(await readFile(join(backup, 'secret-key'), 'utf8')).toBe(key);
      expect((await stat(join(backup, 'secret-key'))).mode & 0o777).toBe(0o600);
    }
    await server.end('SIGTERM');
    const check = (more = {}) => parlor({ ...settings, ...more }, ['database', 'check']);
    for (const wrong of ['', 'x'.repeat(64)]) {
      await writeFile(file, wrong);
      expect(await check()).toMatchObject({
        code: 1,
        out: expect.stringMatching(/ documents, 1 errors\n$/),
        err: expect.stringContaining(`${file} is not the key of this database`),
      });
    }
    expect(await check({ SECRET_KEY: key })).toMatchObject({ code: 0, err: '' });
  },
);

it.skipIf(inject('isRealMongodb'))(
  'a damaged data file is told in words, at the start and by the check',
  { timeout: 180_000 },
  async () => {
    const folder = await temporaryFolder();
    const DATA_DIR = join(folder, 'whole');
    await withServerHere({ PORT: '0', DATA_DIR }, async () => undefined);
    const size = await usedBytes(join(DATA_DIR, 'database', 'data.mdb'));
    const damages: [string, (file: string) => Promise<void>][] = [
      ['cut to its half', (file) => truncate(file, size / 2)],
      ['cut to one page', (file) => truncate(file, 4_096)],
      ['cut inside of the first page', (file) => truncate(file, 100)],
      ['begun with zeros', (file) => overwrite(file, 0, 8_192)],
      ['with two pages inside of it swapped', (file) => swapPages(file)],
      ['with zeros in all but its head', (file) => overwrite(file, 8_192, size - 8_192)],
    ];
    for (const [i, [how, damage]] of damages.entries()) {
      const dataDir = join(folder, `damaged${i}`);
      await cp(DATA_DIR, dataDir, { recursive: true });
      await damage(join(dataDir, 'database', 'data.mdb'));
      const started = await startServerProcess({ PORT: '0', DATA_DIR: dataDir, TMPDIR: folder }).catch(
        (error) => error,
      );
      expect(started, how).toBeInstanceOf(GaveUp);
      const { code, stderr } = started as GaveUp;
      expect(code, how).toBe(1);
      expect(stderr, how).toMatch(
        /^Parlor can't start: DATA_DIR .* (is damaged|another kind of database).*\n$/,
      );
      const check = await parlor({ DATA_DIR: dataDir }, ['database', 'check']);
      expect(check.code, how).toBe(1);
      expect(check.err, how).toMatch(/^the .*(is damaged|another kind of database).*\n$/);
      expect(check.err.match(/put a backup in its place/g)?.length ?? 1, check.err).toBe(1);
    }
  },
);

/** Where the latest of both heads says which page the tree of all trees begins with, and when it was written (mdb.c). */
const [ROOT, WRITTEN] = [136, 152];

/** The page by which everything is found, and the first one that holds something; others may be of what is deleted. */
const swapPages = async (file: string): Promise<void> => {
  const bytes = await readFile(file);
  const page = (n: number) => bytes.subarray(n * 4_096, (n + 1) * 4_096);
  const numberIn = (of: Buffer, at: number) => Number(of.readBigUInt64LE(at));
  const [head] = [page(0), page(1)].sort((a, b) => numberIn(b, WRITTEN) - numberIn(a, WRITTEN));
  const root = numberIn(head ?? expect.fail(), ROOT);
  const isLeaf = (n: number): boolean => page(n).readUInt16LE(18) === 2 && numberIn(page(n), 0) === n;
  let leaf = 2;
  while (leaf === root || !isLeaf(leaf)) leaf++;
  expect(numberIn(page(root), 0)).toBe(root);
  await overwrite(file, root * 4_096, 4_096, page(leaf));
  await overwrite(file, leaf * 4_096, 4_096, page(root));
};

/** Without the zeros at its end, which are room for what comes. */
const usedBytes = async (file: string): Promise<number> => {
  const bytes = await readFile(file);
  const last = bytes.findLastIndex((byte) => byte !== 0);
  return (Math.floor(last / 4_096) + 1) * 4_096;
};

const overwrite = async (
  file: string,
  at: number,
  length: number,
  by = Buffer.alloc(length),
): Promise<void> => {
  const handle = await open(file, 'r+');
  await handle.write(by, 0, length, at);
  await handle.close();
};
