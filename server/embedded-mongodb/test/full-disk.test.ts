/** A disk that is really full: of a small size of its own, where this user may mount one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Collection, MongoClient } from 'mongodb';
import { afterAll, expect, onTestFinished, type TestContext, test } from 'vitest';
import { checkDataDir } from '../dist/index.js';
import { type BinProcess, startBin, temporaryFolder } from './bin-process.ts';

const MIB = 1024 * 1024;
const folder = temporaryFolder();
afterAll(() => folder.remove());

interface Thing {
  _id: number;
  text: string;
  part?: number;
  seen?: boolean;
}

/** A disk of so many bytes with a database on it. */
const smallDisk = async (context: TestContext, name: string, bytes: number) => {
  const disk = join(folder.path, name);
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', disk]);
  if (mounted.status !== 0) return context.skip('a small disk can be mounted by root only');
  let database: BinProcess | undefined;
  onTestFinished(async () => {
    await database?.end('SIGKILL');
    // The process that checks may be about to end.
    execFileSync('umount', ['--lazy', disk]);
  });
  const dataDir = join(disk, 'data');
  database = await startBin(dataDir, join(folder.path, `${name}.sock`));
  let log = '';
  database.process.stderr?.on('data', (text) => {
    log += text;
  });
  const client = await MongoClient.connect(database.url);
  const things = client.db('full').collection<Thing>('things');
  await things.createIndex({ part: 1 });
  return {
    things,
    others: join(disk, 'others'),
    leftBytes: () => {
      const { bavail, bsize } = statfsSync(disk);
      return bavail * bsize;
    },
    log: () => log,
    /** Ends the database as ordered, and looks at all that it holds. */
    end: async () => {
      await client.close();
      const code = await (database as BinProcess).end('SIGTERM');
      return { code, ...(await checkDataDir(dataDir)) };
    },
  };
};

/** Stores things until one is refused. Gives how many it stored, and why no more. */
const storeUntilRefused = async (things: Collection<Thing>, from: number, text: string) => {
  for (let _id = from; ; _id++) {
    const refused = await things.insertOne({ _id, text, part: _id % 7 }).then(
      () => undefined,
      (error) => error,
    );
    if (refused) return { stored: _id - from, refused };
  }
};

test('a full disk is noticed before anything is written, and removing goes on', {
  timeout: 120_000,
}, async (context) => {
  const { things, others, leftBytes, log, end } = await smallDisk(context, 'noticed', 16 * MIB);
  let stored = 0;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    const done = await storeUntilRefused(things, writer * 1_000_000, 'x'.repeat(100 + writer * 1_500));
    stored += done.stored;
    return done.refused;
  });
  for (const refused of await Promise.all(writers)) expect(refused).toMatchObject({ code: 14031 });
  expect(stored).toBeGreaterThan(500);

  // Not one byte is left on the disk: what removes has its room in the file.
  writeFileSync(others, Buffer.alloc(leftBytes()));
  expect(leftBytes()).toBe(0);
  for (let round = 0; round < 50; round++) {
    const { refused } = await storeUntilRefused(things, -100 - round, 'y'.repeat(round * 400));
    expect(refused).toMatchObject({ code: 14031 });
  }
  expect((await things.deleteOne({ _id: 0 })).deletedCount).toBe(1);
  expect((await things.deleteMany({ part: 3 })).deletedCount).toBeGreaterThan(50);
  rmSync(others);
  await expect.poll(() => things.insertOne({ _id: -1, text: '' }).catch(() => undefined)).toBeTruthy();
  expect(log()).toBe('');
  const documents = await things.countDocuments();
  expect(await end()).toMatchObject({ code: 0, errors: [], documents });
});

test('many large documents are changed in parts that fit into what is left', {
  timeout: 120_000,
}, async (context) => {
  const { things, others, leftBytes, log, end } = await smallDisk(context, 'parts', 48 * MIB);
  const large = Array.from({ length: 480 }, (_, _id) => ({ _id, text: 'z'.repeat(40_000), part: 1 }));
  await things.insertMany(large);
  writeFileSync(others, Buffer.alloc(leftBytes() - 16 * MIB));
  const { matchedCount, modifiedCount } = await things.updateMany({ part: 1 }, { $set: { seen: true } });
  expect([matchedCount, modifiedCount]).toEqual([480, 480]);
  expect((await things.deleteMany({ seen: true })).deletedCount).toBe(480);
  expect(log()).toBe('');
  expect(await end()).toMatchObject({ code: 0, errors: [], documents: 0 });
});

test('a disk that becomes read-only is told, and reading goes on', { timeout: 60_000 }, async (context) => {
  const image = join(folder.path, 'read-only.img');
  const disk = join(folder.path, 'read-only');
  mkdirSync(disk);
  writeFileSync(image, Buffer.alloc(32 * MIB));
  const isMounted = [
    ['mkfs.ext4', '-q', '-F', image],
    ['mount', '-o', 'loop', image, disk],
  ].every(([command = '', ...args]) => spawnSync(command, args).status === 0);
  if (!isMounted) return context.skip('a disk can be mounted by root only');
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
  const { url, process, end } = await startBin(join(disk, 'data'), join(folder.path, 'read-only.sock'));
  let log = '';
  process.stderr?.on('data', (text) => {
    log += text;
  });
  const client = await MongoClient.connect(url);
  const things = client.db('x').collection<Thing>('things');
  await things.insertOne({ _id: 1, text: '' });
  // As ext4 does by itself when it finds an error.
  execFileSync('mount', ['-o', 'remount,abort', disk]);
  for (const write of [() => things.insertOne({ _id: 2, text: '' }), () => things.deleteOne({ _id: 1 })]) {
    await expect(write()).rejects.toMatchObject({ code: 39, message: expect.stringContaining('EROFS') });
  }
  expect(await things.countDocuments()).toBe(1);
  await client.close();
  expect([await end('SIGTERM'), log]).toEqual([0, '']);
});
