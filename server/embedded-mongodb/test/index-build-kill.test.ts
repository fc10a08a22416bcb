/** A build of an index that ends with its process: what the next one finds, and makes of it. */
import { join } from 'node:path';
import { type Collection, type Db, MongoClient } from 'mongodb';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { checkDataDir } from '../dist/index.js';
import { startBin, temporaryFolder } from './bin-process.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

interface Thing {
  _id: number;
  n: number;
  text: string;
}

const build = (things: Collection<Thing>): Promise<unknown> =>
  things.createIndex({ n: 1, text: 1 }, { unique: true }).catch((error) => error);

/** Begins to build, and writes meanwhile. Gives what becomes of it once it is seen to be under way. */
const underWay = async (things: Collection<Thing>, db: Db): Promise<{ built: Promise<unknown> }> => {
  for (let n = await things.countDocuments(); ; n++) {
    const built = build(things);
    await things.insertOne({ _id: n, n, text: 'meanwhile' });
    const { indexBuilds } = await db.command({ collStats: 'a' });
    if (indexBuilds.length > 0) return { built };
    // Through before it was looked at, or not begun.
    await built;
    await things.dropIndexes();
  }
};

test('killed or ended in the middle it is begun anew, and what it left is removed', {
  timeout: 60_000,
}, async () => {
  const data = join(folder.path, 'killed');
  const documents = Array.from({ length: 20_000 }, (_, _id) => ({ _id, n: _id, text: 'x'.repeat(100) }));
  for (const signal of ['SIGKILL', 'SIGTERM', undefined] as const) {
    const database = await startBin(data, join(folder.path, 'killed.sock'));
    onTestFinished(() => void database.process.kill('SIGKILL'));
    const client = await MongoClient.connect(database.url);
    const db = client.db('test');
    const things = db.collection<Thing>('a');
    if (signal === 'SIGKILL') await things.insertMany(documents);
    expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    if (signal) {
      const { built } = await underWay(things, db);
      expect(await database.end(signal)).toBe(signal === 'SIGKILL' ? null : 0);
      expect(await built).toBeInstanceOf(Error);
    } else {
      expect(await build(things)).toBe('n_1_text_1');
      expect(await database.end('SIGTERM')).toBe(0);
    }
    await client.close(true);
    expect(await checkDataDir(data)).toMatchObject({ collections: 1, errors: [] });
  }
});
