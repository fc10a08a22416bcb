/** Compaction: what is deleted leaves the file, a kill at any step does no harm, and nobody writes meanwhile. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkDataDir, compactDataDir, openEmbeddedMongodb } from '../dist/index.js';
import { BIN, startBin, temporaryFolder } from './bin-process.ts';

const PROCESS = fileURLToPath(new URL('./compact-process.mjs', import.meta.url));
const KEPT = 2_000;
const ERASED = 'to be erased';

const folder = temporaryFolder();
const original = join(folder.path, 'original');
afterAll(() => folder.remove());

beforeAll(async () => {
  const database = await openEmbeddedMongodb({ dataDir: original });
  const client = await MongoClient.connect(database.url);
  const things = client.db('x').collection<{ _id: number; text: string; n: number }>('things');
  await things.createIndex({ n: 1 });
  const all = Array.from({ length: KEPT * 2 }, (_, n) => ({
    _id: n,
    text: `${n % 2 ? ERASED : 'kept'} ${'x'.repeat(2_000)}`,
    n: -n,
  }));
  for (let at = 0; at < all.length; at += 500) await things.insertMany(all.slice(at, at + 500));
  await things.deleteMany({ text: /^to be erased/ });
  await client.close();
  await database.close();
});

const copied = (name: string): string => {
  const dataDir = join(folder.path, name.replaceAll(' ', '-'));
  cpSync(original, dataDir, { recursive: true });
  return dataDir;
};

const standsIn = (dataDir: string): string[] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(ERASED));

const expectWhole = async (dataDir: string, documents = KEPT) =>
  expect(await checkDataDir(dataDir)).toEqual({ collections: 1, documents, errors: [] });

test('nothing that was deleted is left in the file, which is smaller and as private as before', async () => {
  const dataDir = copied('compacted');
  expect(standsIn(dataDir)).toEqual([join(dataDir, 'data.mdb')]);
  const { bytesBefore, bytesAfter } = await compactDataDir(dataDir);
  expect(bytesBefore).toBe(statSync(join(original, 'data.mdb')).size);
  expect(bytesAfter).toBe(statSync(join(dataDir, 'data.mdb')).size);
  expect(bytesAfter).toBeLessThan(bytesBefore * 0.7);
  expect(standsIn(dataDir)).toEqual([]);
  expect(statSync(join(dataDir, 'data.mdb')).mode & 0o777).toBe(0o600);
  await expectWhole(dataDir);
  const again = await compactDataDir(dataDir);
  expect(again.bytesAfter).toBeLessThanOrEqual(bytesAfter);
  await expectWhole(dataDir);
});

const isRoot = process.geteuid?.() === 0;

/** Whether another user may run this Node.js, and read what is built. */
const mayRun = (uid: number): boolean =>
  [PROCESS, BIN].every((file) => spawnSync(process.execPath, ['--check', file], { uid }).status === 0);

test.runIf(isRoot)('it has the owner, group and mode that it had, or nothing is done', async (context) => {
  const dataDir = copied('owned');
  const file = join(dataDir, 'data.mdb');
  const [uid, gid, group] = [65_534, 65_533, 65_532];
  for (const name of ['', ...readdirSync(dataDir)]) chownSync(join(dataDir, name), uid, gid);
  chmodSync(file, 0o640);
  chmodSync(folder.path, 0o755);
  await compactDataDir(dataDir);
  expect(statSync(file)).toMatchObject({ uid, gid });
  expect(statSync(file).mode & 0o777).toBe(0o640);

  // Its owner, who is in another group.
  if (!mayRun(uid)) return context.skip('nobody else may run Node.js or read what is built here');
  const before = readdirSync(dataDir);
  const { ino } = statSync(file);
  const compactAsOwner = () => {
    const { status, stderr } = spawnSync(process.execPath, [PROCESS, dataDir], { uid, gid: group });
    return [status, String(stderr)];
  };
  expect(compactAsOwner()).toEqual([
    1,
    expect.stringMatching(/can't be compacted: its data.mdb belongs to the user 65534 and the group 65533/),
  ]);
  expect([readdirSync(dataDir), statSync(file).ino]).toEqual([before, ino]);
  await expectWhole(dataDir);

  // A group that may nothing anyway, as root's after `chown -R parlor data`, hinders nobody.
  chmodSync(file, 0o600);
  expect(compactAsOwner()).toEqual([0, '']);
  expect(statSync(file)).toMatchObject({ uid, gid: group });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(file).ino).not.toBe(ino);
  await expectWhole(dataDir);
});

test.runIf(isRoot)(
  "root gives none of its files away for a link that stands in the copy's place",
  async () => {
    const dataDir = copied('swapped');
    chmodSync(folder.path, 0o755);
    for (const name of ['', ...readdirSync(dataDir)]) chownSync(join(dataDir, name), 65_534, 65_534);
    const ofRoot = join(folder.path, 'of-root');
    mkdirSync(ofRoot, { mode: 0o700 });
    const victim = join(ofRoot, 'victim');
    const swap = (step: string) => {
      if (step !== 'checking the copy') return;
      const acting = process.geteuid?.() ?? 0;
      process.seteuid?.(0);
      const copy = join(dataDir, 'compacted', 'data.mdb');
      renameSync(copy, victim);
      chownSync(victim, 0, 0);
      symlinkSync(victim, copy);
      process.seteuid?.(acting);
    };
    await expect(compactDataDir(dataDir, swap)).rejects.toThrow();
    expect([process.geteuid?.(), process.getegid?.()]).toEqual([0, 0]);
    expect(statSync(victim).uid).toBe(0);
    await expectWhole(dataDir);
  },
);

const STEPS = [
  'checking',
  'copying',
  'in the copy',
  'checking the copy',
  'replacing',
  'flushing',
  'cleaning up',
];

test.each(STEPS)('killed while %s, it has done no harm, and works the next time', async (step) => {
  const dataDir = copied(`killed ${step}`);
  const child = spawn(process.execPath, [PROCESS, dataDir, step, 'kill'], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  // What a killed one has left goes when somebody opens the directory.
  const database = await openEmbeddedMongodb({ dataDir });
  expect(existsSync(join(dataDir, 'compacted'))).toBe(false);
  const client = await MongoClient.connect(database.url);
  await client.db('x').collection('things').insertOne({ text: 'new', n: 1 });
  await client.close();
  await database.close();
  await compactDataDir(dataDir);
  await expectWhole(dataDir, KEPT + 1);
  expect(standsIn(dataDir)).toEqual([]);
});

test.each(STEPS.slice(1).filter((step) => step !== 'in the copy'))(
  'nobody opens the directory while it is at %s, and the latecomers change nothing',
  async (step) => {
    const dataDir = copied(`late ${step}`);
    const child = spawn(process.execPath, [PROCESS, dataDir, step, 'wait'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const busy = `another process is using the data directory ${dataDir}`;
    for (const n of [1, 2]) {
      await expect(startBin(dataDir, join(folder.path, `late${n}.sock`))).rejects.toThrow(busy);
    }
    await expect(compactDataDir(dataDir)).rejects.toThrow(busy);
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expectWhole(dataDir);
    expect(standsIn(dataDir)).toEqual([]);
  },
);

test('a disk without room for the copy is told, and nothing has changed', async (context) => {
  const disk = join(folder.path, 'disk');
  mkdirSync(disk);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=36m', 'tmpfs', disk]);
  if (status !== 0) return context.skip('a small disk can be mounted by root only');
  onTestFinished(() => void spawnSync('umount', [disk]));
  const dataDir = join(disk, 'data');
  cpSync(original, dataDir, { recursive: true });
  // The first room is seen before the copy, the second is gone in its middle.
  const others = join(disk, 'others');
  writeFileSync(others, Buffer.alloc(statfsSync(disk).bavail * 4_096 - 2 ** 20));
  await expect(compactDataDir(dataDir)).rejects.toThrow(
    /^compacting .*data needs \d+ bytes beside the database, and the disk has \d+ free$/,
  );
  rmSync(others);
  const fillWhileCopying = (step: string) => {
    if (step === 'copying') writeFileSync(others, Buffer.alloc(statfsSync(disk).bavail * 4_096 - 2 ** 20));
  };
  await expect(compactDataDir(dataDir, fillWhileCopying)).rejects.toThrow(/could not be copied: .*No space/);
  expect(existsSync(join(dataDir, 'compacted'))).toBe(false);
  await expectWhole(dataDir);
});

test('a data file that is a link is refused, since what was deleted would stay where it leads to', async () => {
  const dataDir = copied('linked');
  const file = join(dataDir, 'data.mdb');
  const elsewhere = join(folder.path, 'elsewhere.mdb');
  renameSync(file, elsewhere);
  symlinkSync(elsewhere, file);
  await expect(compactDataDir(dataDir)).rejects.toMatchObject({
    code: 'UNWRITABLE',
    message: `${file} is a link to ${elsewhere}: link the folder, not the file`,
  });
  await expectWhole(dataDir);
});

test('a database that is open is refused, and goes on', async () => {
  const dataDir = copied('open');
  const database = await openEmbeddedMongodb({ dataDir });
  await expect(compactDataDir(dataDir)).rejects.toMatchObject({ code: 'LOCKED' });
  const client = await MongoClient.connect(database.url);
  expect(await client.db('x').collection('things').countDocuments()).toBe(KEPT);
  await client.close();
  await database.close();
  await expectWhole(dataDir);
});
