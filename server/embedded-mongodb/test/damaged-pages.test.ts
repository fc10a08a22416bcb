/** A data file with damage inside: whoever opens it is told so, and the process lives. */
import {
  closeSync,
  copyFileSync,
  cpSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkDataDir, openEmbeddedMongodb } from '../dist/index.js';
import { lookAtTrees } from '../dist/storage/page-tree.js';
import { temporaryFolder } from './bin-process.ts';

const PAGE = 4_096;
const FLAGS_OFFSET = 18;

const folder = temporaryFolder();
afterAll(() => folder.remove());
const whole = join(folder.path, 'whole');

beforeAll(async () => {
  const database = await openEmbeddedMongodb({ dataDir: whole });
  const client = await MongoClient.connect(database.url);
  const collection = client.db('x').collection('y');
  await collection.createIndex({ room: 1, at: -1 });
  const made = (n: number) => ({ room: `r${n % 50}`, at: new Date(n), body: 'word '.repeat(n % 2_000) });
  for (let i = 0; i < 10; i++)
    await collection.insertMany(Array.from({ length: 500 }, (_, n) => made(n * i)));
  await collection.deleteMany({ room: 'r7' });
  await client.close();
  await database.close();
}, 60_000);

/** The numbers of the pages that say of themselves that they are of this kind: 1 branches, 2 leaves. */
const pagesOf = (file: string, kind: number): number[] => {
  const descriptor = openSync(file, 'r');
  const found: number[] = [];
  const page = Buffer.alloc(PAGE);
  for (let n = 2; readSync(descriptor, page, 0, PAGE, n * PAGE) === PAGE; n++) {
    if (page.readUInt16LE(FLAGS_OFFSET) === kind && page.readBigUInt64LE(0) === BigInt(n)) found.push(n);
  }
  closeSync(descriptor);
  return found;
};

const read = (descriptor: number, n: number): Buffer => {
  const page = Buffer.alloc(PAGE);
  readSync(descriptor, page, 0, PAGE, n * PAGE);
  return page;
};

const open = async (dataDir: string) => {
  const database = await openEmbeddedMongodb({ dataDir });
  await database.close();
};

test('opens a whole one, also as its owner left it when it was killed', async () => {
  expect(await open(whole)).toBeUndefined();
  const copied = join(folder.path, 'copied');
  const database = await openEmbeddedMongodb({ dataDir: whole });
  mkdirSync(copied);
  copyFileSync(join(whole, 'data.mdb'), join(copied, 'data.mdb'));
  await database.close();
  expect(await open(copied)).toBeUndefined();
});

test('is told where what the catalog says of a collection is no document', async () => {
  const dataDir = join(folder.path, 'catalog');
  cpSync(whole, dataDir, { recursive: true });
  const file = join(dataDir, 'data.mdb');
  const bytes = readFileSync(file);
  // The type of an element of BSON, before its name.
  const name = Buffer.from('\u0002name\0');
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) bytes[at] = 0x1e;
  writeFileSync(file, bytes);
  const told = { code: 'DAMAGED', message: expect.stringMatching(/is damaged \(.*type.*\): put a backup/) };
  await expect(open(dataDir)).rejects.toMatchObject(told);
  await expect(checkDataDir(dataDir)).rejects.toMatchObject(told);
});

test('is told where a file is shorter than any head', async () => {
  const dataDir = join(folder.path, 'short');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'data.mdb'), 'x');
  await expect(open(dataDir)).rejects.toMatchObject({ code: 'DAMAGED' });
});

describe('a branch inside', () => {
  const damages: [string, (descriptor: number, branch: number, leaves: number[]) => void][] = [
    [
      'swapped with a leaf',
      (descriptor, branch, [leaf = 0]) => {
        const [a, b] = [read(descriptor, branch), read(descriptor, leaf)];
        writeSync(descriptor, b, 0, PAGE, branch * PAGE);
        writeSync(descriptor, a, 0, PAGE, leaf * PAGE);
      },
    ],
    ['zeroed', (descriptor, branch) => writeSync(descriptor, Buffer.alloc(PAGE), 0, PAGE, branch * PAGE)],
    [
      'that leads nowhere',
      (descriptor, branch) => {
        const page = read(descriptor, branch);
        page.fill(0xff, 24 + page.readUInt16LE(22));
        writeSync(descriptor, page, 0, PAGE, branch * PAGE);
      },
    ],
  ];
  test.each(damages)('is told: %s', { timeout: 60_000 }, async (how, damage) => {
    const [branches, leaves] = [1, 2].map((kind) => pagesOf(join(whole, 'data.mdb'), kind));
    expect(branches?.length).toBeGreaterThan(1);
    let told = 0;
    for (const branch of branches ?? []) {
      const dataDir = join(folder.path, `${how} ${branch}`);
      cpSync(whole, dataDir, { recursive: true });
      const descriptor = openSync(join(dataDir, 'data.mdb'), 'r+');
      damage(descriptor, branch, leaves ?? []);
      closeSync(descriptor);
      // What is not seen in time counts as sound.
      expect(lookAtTrees(join(dataDir, 'data.mdb'), -1)).toBe('sound');
      const error = await open(dataDir).catch((failed) => failed);
      // What was freed and not written over is no part of it.
      if (error === undefined) continue;
      told++;
      expect(error).toMatchObject({
        code: 'DAMAGED',
        message: `the database in ${dataDir} is damaged (it is cut off, or was overwritten): put a backup in its place`,
      });
      if (told === 3) break;
    }
    expect(told).toBeGreaterThan(0);
  });
});

/** The root of the free pages' tree, and its first record, as the newer head says. */
const freePages = (descriptor: number) => {
  const [a, b] = [read(descriptor, 0), read(descriptor, 1)] as const;
  const head = a.readBigUInt64LE(152) > b.readBigUInt64LE(152) ? a : b;
  const root = Number(head.readBigUInt64LE(88));
  const page = read(descriptor, root);
  const node = 24 + page.readUInt16LE(24);
  return { root, page, lastPage: head.readBigUInt64LE(144), record: node + 8 + page.readUInt16LE(node + 6) };
};

describe('the list of free pages', () => {
  const damages: [string, (descriptor: number, at: ReturnType<typeof freePages>) => void][] = [
    ['zeroed', (descriptor, { root }) => writeSync(descriptor, Buffer.alloc(PAGE), 0, PAGE, root * PAGE)],
    [
      'with a page beyond the last one',
      (descriptor, { root, page, record, lastPage }) => {
        page.writeBigInt64LE(1n, record);
        page.writeBigInt64LE(lastPage + 1n, record + 8);
        writeSync(descriptor, page, 0, PAGE, root * PAGE);
      },
    ],
  ];
  test.each(damages)('is told: %s', { timeout: 60_000 }, async (how, damage) => {
    const dataDir = join(folder.path, `free ${how}`);
    cpSync(whole, dataDir, { recursive: true });
    const descriptor = openSync(join(dataDir, 'data.mdb'), 'r+');
    damage(descriptor, freePages(descriptor));
    closeSync(descriptor);
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'DAMAGED' });
    await expect(checkDataDir(dataDir)).rejects.toMatchObject({ code: 'DAMAGED' });
  });
});

test('is not told of a file whose reading is ended from outside, as where memory runs out', async () => {
  const dataDir = join(folder.path, 'cut');
  cpSync(whole, dataDir, { recursive: true });
  const descriptor = openSync(join(dataDir, 'data.mdb'), 'r+');
  ftruncateSync(descriptor, Number(freePages(descriptor).lastPage) * PAGE);
  closeSync(descriptor);
  const end = (signal: string) => {
    const isReader = "String(process.argv[1]).endsWith('check-main.js')";
    vi.stubEnv(
      'NODE_OPTIONS',
      `--import=data:text/javascript,${isReader}&&process.kill(process.pid,'${signal}')`,
    );
  };
  onTestFinished(() => void vi.unstubAllEnvs());
  end('SIGKILL');
  const outside = {
    code: 'UNWRITABLE',
    message: `the database in ${dataDir} could not be looked at (the process that read it was ended by SIGKILL): try again`,
  };
  await expect(open(dataDir)).rejects.toMatchObject(outside);
  await expect(checkDataDir(dataDir)).rejects.toMatchObject(outside);
  end('SIGBUS');
  await expect(open(dataDir)).rejects.toMatchObject({ code: 'DAMAGED' });
  await expect(checkDataDir(dataDir)).rejects.toMatchObject({ code: 'DAMAGED' });
});
