/** Copies of a database that is in use, and what one that is given up leaves behind. */
import { execFileSync, fork } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkDataDir, openEmbeddedMongodb } from '../dist/index.js';
import { COPY_PROCESS } from '../dist/storage/copy-process.js';
import { DatabaseThread } from '../dist/thread/database-thread.js';
import { temporaryFolder } from './bin-process.ts';

const MIB = 1024 * 1024;
const COUNT = 10_000;

/** The child process that has this among its arguments. */
const childWith = (argument: string): number => {
  const listed = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], {
    encoding: 'utf8',
  });
  return Number.parseInt(listed.split('\n').find((line) => line.includes(argument)) ?? '', 10);
};

const modesIn = (directory: string): number[] =>
  readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);

/** A database of some 60 MiB. */
const open = async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const dataDir = join(folder.path, 'data');
  const database = await openEmbeddedMongodb({ dataDir });
  const client = await MongoClient.connect(database.url);
  onTestFinished(() => client.close());
  const things = client.db('x').collection<{ _id: number; text: string }>('things');
  const write = async (text: string) => {
    for (let at = 0; at < COUNT; at += 500) {
      const some = Array.from({ length: 500 }, (_, i) => ({
        replaceOne: { filter: { _id: at + i }, replacement: { text: text.repeat(5_000) }, upsert: true },
      }));
      await things.bulkWrite(some);
    }
  };
  const target = (name: string) => {
    const path = join(folder.path, name);
    mkdirSync(path);
    return path;
  };
  await write('a');
  return { database, target, write, size: () => statSync(join(dataDir, 'data.mdb')).size };
};

test('one is for its owner alone, and when it is given up ends at once, and holds no page back', async () => {
  const { database, target, write, size } = await open();
  // So much it needs to be written anew while nobody reads.
  await write('b');
  const usual = size();
  // Ended while it reads, which is over in a moment at times.
  for (let i = 0; ; i++) {
    const left = target(`left${i}`);
    const giveUp = new AbortController();
    const copy = database.copyTo(left, { signal: giveUp.signal }).catch((error: Error) => error);
    while (!existsSync(join(left, 'data.mdb'))) await setTimeout(1);
    expect(statSync(join(left, 'data.mdb')).mode & 0o777).toBe(0o600);
    giveUp.abort(new Error('not wanted'));
    const end = await copy;
    if (end === undefined && i < 20) continue;
    expect(end).toEqual(new Error('not wanted'));
    break;
  }
  for (const text of 'cdef') await write(text);
  expect(size()).toBeLessThan(usual + 8 * MIB);

  const whole = target('whole');
  await database.copyTo(whole);
  for (const mode of modesIn(whole)) expect(mode).toBe(0o600);
  expect(await checkDataDir(whole)).toMatchObject({ documents: COUNT, errors: [] });
  for (const mode of modesIn(whole)) expect(mode).toBe(0o600);
  await database.close();
});

test('one that is under way ends with the database', async () => {
  const { database, target } = await open();
  const left = target('left');
  const copy = database.copyTo(left).catch((error: Error) => error.message);
  // Its process needs several times as long to start.
  await setTimeout(10);
  await database.close();
  expect(await copy).toBe('the database is closed');
});

test('a server of another version is told that it has to be started anew', async () => {
  const said = await new Promise((resolve) => {
    // As one that was started before an update starts it, and as one would that waits for no word.
    const child = fork(COPY_PROCESS, ['from', 'to'], { stdio: 'ignore' });
    child.on('message', resolve);
  });
  expect(said).toEqual({ error: 'the server that runs is of another version: start it anew first' });
});

test.skipIf(process.platform === 'win32')(
  'one whose process is stopped while it opens the files is given up, and writing goes on',
  { timeout: 30_000 },
  async () => {
    const { database, target, write } = await open();
    const stopped = target('stopped');
    const holdWrites = DatabaseThread.prototype.holdWrites;
    const spy = vi.spyOn(DatabaseThread.prototype, 'holdWrites').mockImplementation(async function (
      this: DatabaseThread,
    ) {
      process.kill(childWith(stopped), 'SIGSTOP');
      return holdWrites.call(this);
    });
    onTestFinished(() => spy.mockRestore());
    const copy = database.copyTo(stopped).catch((error: Error) => error.message);
    await expect.poll(() => spy.mock.results.length).toBeGreaterThan(0);
    const writes = write('b');
    expect(await copy).toMatch(/^the process that copies \S+ did not open it within 5 s$/);
    await writes;
    spy.mockRestore();
    await database.copyTo(target('whole'));
    await database.close();
  },
);
