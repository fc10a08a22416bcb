import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedMongodb } from '@parlor/embedded-mongodb';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CopyError, copyDatabase } from '../src/database/copy.ts';
import { COPY_MARKER } from '../src/database/copy-marker.ts';
import { maskPassword } from '../src/platform/config.ts';
import { spawnCommand } from './command-line.ts';
import { startServerProcess } from './server-process.ts';

const { Binary, Decimal128, Int32, Long, MongoClient, ObjectId, Timestamp } = mongoose.mongo;
type Db = mongoose.mongo.Db;

const run = randomUUID().slice(0, 8);
let directory = '';
let client: mongoose.mongo.MongoClient;
let made: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parlor-copy-'));
  client = await MongoClient.connect(inject('mongodbUrl'));
});

afterAll(async () => {
  for (const name of made) await client.db(name).dropDatabase();
  await client.close();
  await rm(directory, { recursive: true });
});

/** A database of its own on the MongoDB of this run. */
const target = (name: string): { url: string; db: Db } => {
  const dbName = `parlor_copy_${run}_${name}`;
  made = [...made, dbName];
  return { url: inject('mongodbUrl').replace(/\/(\?|$)/, `/${dbName}$1`), db: client.db(dbName) };
};

const parlor = (dataDir: string, ...args: string[]) => spawnCommand({ DATA_DIR: dataDir }, args);

const onDataDir = async <T>(dataDir: string, use: (db: Db) => Promise<T>): Promise<T> => {
  const embedded = await openEmbeddedMongodb({ dataDir: join(dataDir, 'database') });
  const own = await MongoClient.connect(embedded.url);
  try {
    return await use(own.db('parlor'));
  } finally {
    await own.close();
    await embedded.close();
  }
};

/** Every collection with its documents as bytes and its indexes: equal exactly when the databases are. */
const everything = async (db: Db): Promise<Record<string, unknown>> => {
  const all: Record<string, unknown> = {};
  for (const { name } of await db.listCollections().toArray()) {
    const raw = (await db
      .collection(name)
      .find({}, { raw: true })
      .sort({ _id: 1 })
      .toArray()) as unknown as Buffer[];
    const indexes = await db.collection(name).indexes();
    all[name] = {
      documents: Buffer.concat(raw).toString('base64'),
      indexes: indexes
        .map(({ v: _v, collation: _simple, ...index }) => index)
        .sort((a, b) => (`${a.name}` < `${b.name}` ? -1 : 1)),
    };
  }
  return all;
};

const fill = async (db: Db, documents: number): Promise<void> => {
  const kinds = db.collection('kinds');
  await kinds.insertMany([
    {
      _id: 1 as never,
      int: new Int32(1),
      long: Long.fromNumber(1),
      double: 1.5,
      decimal: new Decimal128('1.50'),
    },
    { _id: 'text' as never, zero: -0, nan: Number.NaN, at: new Date(0), pattern: /a/i, none: null },
    { _id: new ObjectId(), bytes: new Binary(Buffer.from('x'), 128), stamp: new Timestamp({ t: 1, i: 2 }) },
    { _id: { a: 1, b: [1] } as never, nested: { list: [[1], {}] } },
  ]);
  await db.command({ insert: 'kinds', documents: [{ _id: null }] });
  await db.createCollection('empty');
  const many = db.collection('many');
  for (let from = 0; from < documents; from += 1000) {
    const batch = Array.from({ length: 1000 }, (_, i) => ({
      _id: (from + i) as never,
      email: `${from + i}@example.com`,
      expires_at: new Date(Date.now() - 1000),
      text: 'x'.repeat(300),
    }));
    await many.insertMany(batch);
  }
  await many.createIndexes([
    { key: { email: 1 }, unique: true },
    { key: { expires_at: 1 }, expireAfterSeconds: 1_000_000 },
    { key: { text: 1, email: -1 }, partialFilterExpression: { email: { $gt: '5' } } },
    { key: { nothing: 1 }, sparse: true, name: 'named' },
  ]);
};

describe('database copy', () => {
  it('copies all types, options and indexes, goes on after kills, and comes back', {
    timeout: 600_000,
  }, async () => {
    const dataDir = join(directory, 'full');
    await onDataDir(dataDir, (db) => fill(db, 8_000));
    const { url, db } = target('full');
    let kills = 0;
    let copied = { code: null as number | null, out: '', err: '' };
    for (const share of [0.1, 0.5, 0.9]) {
      const { child, result } = parlor(dataDir, 'database', 'copy', '--to', url);
      let isOver = false;
      void result.then(() => {
        isOver = true;
      });
      while (!isOver && (await db.collection('many').estimatedDocumentCount()) < 8_000 * share) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      child.kill('SIGKILL');
      copied = await result;
      if (copied.code === null) kills++;
    }
    expect(kills).toBeGreaterThan(0);
    expect(await db.listCollections({ name: 'copy_under_way' }).toArray()).toHaveLength(1);
    const early = await startServerProcess({ MONGODB_URL: url, SECRET_KEY: 'x'.repeat(40), PORT: '0' }).catch(
      (error) => String(error),
    );
    expect(early).toMatch(/has not been finished/);
    // What changed at the source since then is copied anew.
    await onDataDir(dataDir, async (source) => {
      await source.collection('many').deleteOne({ _id: 3 as never });
      await source.collection('many').updateOne({ _id: 50 as never }, { $set: { text: 'changed' } });
    });
    copied = await parlor(dataDir, 'database', 'copy', '--to', url).result;
    expect(copied).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(
        /^copied 3 collections, 8004 documents and 7 indexes; all verified\n.*secret-key/,
      ),
    });
    const original = await onDataDir(dataDir, everything);
    expect(await everything(db)).toEqual(original);

    const again = await parlor(dataDir, 'database', 'copy', '--to', url).result;
    expect([again.code, again.err]).toEqual([1, expect.stringMatching(/is not empty/)]);

    const back = join(directory, 'back');
    const returned = await parlor(back, 'database', 'copy', '--from', url).result;
    expect([returned.code, returned.err]).toEqual([0, '']);
    // A key made here would open nothing of it, and a start would go by it.
    expect(await readdir(back)).toEqual(['database']);
    expect(await onDataDir(back, everything)).toEqual(original);
    const checked = await parlor(back, 'database', 'check').result;
    expect(checked).toEqual({ code: 0, err: '', out: '3 collections, 8004 documents, 0 errors\n' });
  });

  it('ends without touching a database that another copy has finished meanwhile', async () => {
    const source = target('slow-source');
    await fill(source.db, 8_000);
    await source.db.collection('others').insertOne({ text: 'first' });
    const { url, db } = target('slow');
    const copy = () =>
      spawnCommand({ MONGODB_URL: source.url, SECRET_KEY: 'x'.repeat(40) }, [
        'database',
        'copy',
        '--to',
        url,
      ]);
    const slow = copy();
    const count = () => db.collection('many').estimatedDocumentCount();
    await expect.poll(count, { interval: 1, timeout: 60_000 }).toBe(8_000);
    slow.child.kill('SIGSTOP');
    expect(await copy().result).toMatchObject({ code: 0, err: '' });
    // As a server does that was started on it.
    await db.collection('others').updateMany({}, { $set: { text: 'changed' } });
    const before = await everything(db);
    slow.child.kill('SIGCONT');
    expect(await slow.result).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^another copy into .*slow was begun after this one, which ends\n$/),
    });
    expect(await everything(db)).toEqual(before);
  }, 120_000);

  it('makes a database that Parlor starts on, with the same accounts', { timeout: 300_000 }, async () => {
    const dataDir = join(directory, 'server');
    const first = await startServerProcess({ DATA_DIR: dataDir, PORT: '0' });
    const token = /API token {3}(\w+)/.exec(first.stdout())?.[1];
    const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
    const room = await fetch(`${first.url}/api/v1/rooms/`, {
      method: 'POST',
      headers,
      body: '{"name":"moved"}',
    });
    expect(room.status).toBe(201);
    const { url } = target('server');
    const busy = await parlor(dataDir, 'database', 'copy', '--to', url).result;
    expect(busy).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^DATA_DIR .* (is used|in use|using)/),
    });
    expect((await parlor(dataDir, 'database', 'check').result).err).toMatch(/(is used|in use|using)/);
    await first.end('SIGTERM');
    // Copying needs no key: one that is not the database's is not taken for it.
    const another = { DATA_DIR: dataDir, SECRET_KEY: 'w'.repeat(40) };
    expect(await spawnCommand(another, ['database', 'copy', '--to', url]).result).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/ SECRET_KEY to that of the source \(its fingerprint is \w{16}\)\n$/),
    });
    const SECRET_KEY = (await readFile(join(dataDir, 'secret-key'), 'utf8')).trim();
    const second = await startServerProcess({ MONGODB_URL: url, SECRET_KEY, PORT: '0' });
    const rooms = await (await fetch(`${second.url}/api/v1/rooms/`, { headers })).json();
    expect(rooms).toMatchObject([{ name: 'moved' }]);
    await second.end('SIGTERM');
  });

  it('makes no key beside half a copy, whose key is another', async () => {
    const source = target('keyed');
    const { db } = source;
    const fingerprints = ['0123456789abcdef'];
    await db.collection('secretkeys').insertOne({ _id: 'secret-key' as never, fingerprints });
    const dataDir = join(directory, 'half');
    // What is left of a copy that was killed before it had a document.
    await onDataDir(dataDir, (half) =>
      half.collection('copy_under_way').insertOne({ _id: maskPassword(source.url) as never }),
    );
    const start = async () =>
      String(await startServerProcess({ DATA_DIR: dataDir, PORT: '0' }).catch((error) => error));
    expect(await start()).toMatch(/has not been finished/);
    expect(await parlor(dataDir, 'database', 'copy', '--from', source.url).result).toMatchObject({ code: 0 });
    expect(await start()).toMatch(/its database needs the key whose fingerprint is 0123456789abcdef/);
    expect(await readdir(dataDir)).toEqual(['database']);
  });

  it('says in one line what is in the way', { timeout: 300_000 }, async () => {
    const dataDir = join(directory, 'hints');
    const { url, db } = target('hints');
    const complaint = async (...args: string[]) => {
      const { code, err } = await parlor(dataDir, 'database', ...args).result;
      expect(code).toBe(1);
      return err;
    };
    expect(await complaint('check')).toMatch(/^there is no embedded database in .*hints/);
    expect(await complaint('copy', '--to', url)).toMatch(/^there is no embedded database in .*hints/);
    expect(await complaint('copy', '--from', target('nothing').url)).toMatch(/^there is nothing to copy/);
    await expect(readdir(dataDir)).rejects.toThrow('ENOENT');
    await onDataDir(dataDir, () => Promise.resolve());
    expect(await complaint('copy', '--to', url)).toMatch(/^there is nothing to copy/);
    expect(await complaint('copy')).toMatch(/^one of --to and --from is needed\nusage:/);
    expect(await complaint('copy', '--to', 'http://x')).toMatch(
      /^--to must be a URL that starts with mongodb:/,
    );
    await onDataDir(dataDir, (source) => source.collection('a').insertOne({}));
    expect(await complaint('copy', '--to', 'mongodb://a:secret@127.0.0.1:1/x')).toMatch(
      /^--to mongodb:\/\/a:\*\*\*@127\.0\.0\.1:1\/x can't be reached/,
    );
    await db.collection('other').insertOne({});
    expect(await complaint('copy', '--to', url)).toMatch(/is not empty \(it holds other\)/);
  });

  it('says in one line what the target does not take', async () => {
    const [from, to] = [target('refused_from').db, target('refused_to').db];
    await from.collection('a').insertMany([{ x: 1 }, { x: 1 }]);
    await to.collection<{ _id: string }>(COPY_MARKER).insertOne({ _id: 'a copy that was interrupted' });
    await to.createIndex('a', { x: 1 }, { unique: true });
    const copying = copyDatabase(from, to, 'a copy that was interrupted', () => undefined);
    await expect(copying).rejects.toThrow(CopyError);
    await expect(copying).rejects.toThrow(/^the target does not take what a holds: E11000 [^\n]*$/);
  });
});
