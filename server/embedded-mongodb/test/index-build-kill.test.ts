/** A build of an index that ends with its process: what the next one finds, and makes of it. */
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { checkDataDir } from '../dist/index.js';
import { startBin, temporaryFolder } from './bin-process.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

test('killed or ended in the middle it is begun anew, and what it left is removed', {
  timeout: 60_000,
}, async () => {
  const data = join(folder.path, 'killed');
  for (const signal of ['SIGKILL', 'SIGTERM', undefined] as const) {
    const database = await startBin(data, join(folder.path, 'killed.sock'));
    onTestFinished(() => void database.process.kill('SIGKILL'));
    const client = await MongoClient.connect(database.url);
    const db = client.db('test');
    const things = db.collection<{ _id: number; n: number; text: string }>('a');
    const isFirst = signal === 'SIGKILL';
    const documents = Array.from({ length: 10_000 }, (_, _id) => ({ _id, n: _id, text: 'x'.repeat(100) }));
    if (isFirst) await things.insertMany(documents);
    expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    const built = things.createIndex({ n: 1, text: 1 }, { unique: true }).catch((error) => error);
    if (signal) {
      while ((await things.indexes()).length === 1);
      expect(await db.command({ collStats: 'a' })).toMatchObject({ indexBuilds: ['n_1_text_1'] });
      const _id = isFirst ? -1 : -2;
      await things.insertOne({ _id, n: _id, text: 'meanwhile' });
      expect(await database.end(signal)).toBe(isFirst ? null : 0);
      expect(await built).toBeInstanceOf(Error);
    } else {
      expect(await built).toBe('n_1_text_1');
      expect(await database.end('SIGTERM')).toBe(0);
    }
    await client.close(true);
    expect(await checkDataDir(data)).toMatchObject({ collections: 1, errors: [] });
  }
});
