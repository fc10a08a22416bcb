/** Whoever opens the files of a database that is in use, to copy them or by mistake, takes nothing from it. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { checkDataDir, openEmbeddedMongodb } from '../dist/index.js';
import { temporaryFolder } from './bin-process.ts';

const TOO_LATE = fileURLToPath(new URL('./too-late.mjs', import.meta.url));

const WRITERS = 4;

/** In memory transactions follow each other so fast that some fall into each moment that matters. */
const IN_MEMORY = '/dev/shm';

/** A database, and what writes into it all the time, which keeps each document that was acknowledged. */
const openAndWrite = async () => {
  const folder = temporaryFolder(existsSync(IN_MEMORY) ? IN_MEMORY : undefined);
  onTestFinished(() => folder.remove());
  const dataDir = join(folder.path, 'data');
  const database = await openEmbeddedMongodb({ dataDir });
  const client = await MongoClient.connect(database.url);
  const things = client.db('x').collection<{ _id: number }>('things');
  const acknowledged = new Set<number>();
  let isWriting = true;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let id = writer; isWriting; id += WRITERS) {
      await things.insertOne({ _id: id });
      acknowledged.add(id);
    }
  });
  const stop = async () => {
    isWriting = false;
    await Promise.all(writers);
    const found = await things
      .find()
      .map(({ _id }) => _id)
      .toArray();
    await client.close();
    await database.close();
    return { acknowledged: [...acknowledged].sort((a, b) => a - b), found };
  };
  return { folder: folder.path, dataDir, database, stop };
};

test('those who come too late, 720 times', { timeout: 120_000 }, async () => {
  const { dataDir, stop } = await openAndWrite();
  const said = await Promise.all(
    Array.from({ length: 12 }, () =>
      text(
        spawn(process.execPath, [TOO_LATE, dataDir, '12'], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout,
      ),
    ),
  );
  expect(said.join('')).toBe('');
  const { acknowledged, found } = await stop();
  expect(found).toEqual(acknowledged);
  expect((await checkDataDir(dataDir)).errors).toEqual([]);
});

test('100 copies', { timeout: 120_000 }, async () => {
  const { folder, dataDir, database, stop } = await openAndWrite();
  for (let i = 0; i < 100; i += 2) {
    const targets = [i, i + 1].map((n) => join(folder, `copy${n}`));
    for (const target of targets) mkdirSync(target);
    await Promise.all(targets.map((target) => database.copyTo(target)));
  }
  const { acknowledged, found } = await stop();
  expect(found).toEqual(acknowledged);
  expect((await checkDataDir(dataDir)).errors).toEqual([]);
});
