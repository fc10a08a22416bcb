/** What a query may hold in memory: the limits, MongoDB's errors for them, and that what is held is let go. */
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { compilePipeline } from '../src/aggregation/pipeline.ts';
import { encode } from '../src/bson/document.ts';
import { readIndexRequest } from '../src/command/index-request.ts';
import { heapSize, MAX_STAGE_BYTES, Memory } from '../src/limits/memory.ts';
import { runPlan } from '../src/planner/execute.ts';
import { Engine } from '../src/query/engine.ts';
import { beginBuild } from '../src/query/index-build.ts';
import { planQuery, queryFor } from '../src/query/query.ts';
import type { Collection } from '../src/storage/collection.ts';
import { startBin, temporaryFolder } from './bin-process.ts';
import { useDatabase } from './open-database.ts';

type Doc = Record<string, unknown>;

const opened = useDatabase();

beforeAll(async () => {
  const wide = Array.from({ length: 70_000 }, (_, i) => i);
  await things().insertMany([0, 1, 2, 3, 4, 5, 6, 7].map((k) => ({ k, wide })));
  await texts().insertMany([0, 1, 2, 3, 4].map((k) => ({ k, text: `${k}${'x'.repeat(4_000_000)}` })));
});

const things = () => opened.client.db('memory').collection('things');
const texts = () => opened.client.db('memory').collection('texts');
const unwound = [{ $project: { _id: 0, k: 1, wide: 1 } }, { $unwind: '$wide' }];

test.each<[string, Doc[], number]>([
  ['$group by many keys', [{ $group: { _id: { a: '$wide', k: '$k' } } }, { $count: 'n' }], 292],
  ['$sort of many documents', [{ $sort: { wide: 1 } }, { $count: 'n' }], 292],
  ['$push of many values', [{ $group: { _id: null, all: { $push: { a: '$wide', k: '$k' } } } }], 146],
  ['$addToSet of many values', [{ $group: { _id: null, all: { $addToSet: { a: '$wide', k: '$k' } } } }], 146],
])(
  '%s ends at its limit, and lets go of what it held',
  async (_what, stages, code) => {
    // Were it not let go, the limit of all together would be reached, and a small one would fail.
    for (let i = 0; i < 2; i++) {
      await expect(
        things()
          .aggregate([...unwound, ...stages])
          .toArray(),
      ).rejects.toMatchObject({ code });
    }
    expect(
      await things()
        .aggregate([{ $group: { _id: '$k' } }, { $sort: { _id: 1 } }])
        .toArray(),
    ).toHaveLength(8);
  },
  120_000,
);

test('$sort with a $limit behind it holds no more than those', async () => {
  const first = [...unwound, { $sort: { wide: -1, k: 1 } }, { $limit: 9 }];
  const answer = await things().aggregate(first).toArray();
  expect(answer.map(({ wide, k }) => [wide, k])).toEqual([
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((k) => [69_999, k]),
    [69_998, 0],
  ]);
});

test('an answer of more than 16 MB is an error of its own', async () => {
  const tooLarge = { code: 10334, codeName: 'BSONObjectTooLarge' };
  const pushed = { $group: { _id: null, all: { $push: '$text' } } };
  await expect(texts().aggregate([pushed]).toArray()).rejects.toMatchObject(tooLarge);
  await expect(texts().distinct('text')).rejects.toMatchObject({ code: 17217 });
  expect(
    await texts()
      .aggregate([pushed, { $unwind: '$all' }, { $count: 'n' }])
      .toArray(),
  ).toEqual([{ n: 5 }]);
  // Of many documents each answer has as many as fit.
  expect(await texts().find().sort({ k: -1 }).toArray()).toHaveLength(5);
});

test.each<[string, Doc[]]>([
  ['$sort', [{ $sort: { k: 1 } }]],
  ['$group', [{ $group: { _id: '$k', all: { $push: '$k' } } }, { $match: {} }]],
])('a cursor over %s that is closed early holds nothing any more', (_stage, stages) => {
  const memory = new Memory();
  const run = compilePipeline(stages, { now: new Date(), memory });
  const documents = run(Array.from({ length: 100 }, (_, k) => ({ k })))[Symbol.iterator]();
  expect(documents.next().done).toBe(false);
  expect(memory.bytes).toBeGreaterThan(0);
  documents.return?.();
  expect(memory.bytes).toBe(0);
});

test('all queries together have a limit, too', () => {
  const memory = new Memory();
  const held = [1, 2, 3].map((n) => memory.begin(`query ${n}`));
  for (const one of held) one.add(MAX_STAGE_BYTES);
  const last = memory.begin('query 4');
  expect(() => last.add(1)).toThrow('query 4 and other queries exceeded');
  held[0]?.release();
  last.add(1);
  expect(() => last.add(MAX_STAGE_BYTES)).toThrow('query 4 exceeded memory limit');
  expect(heapSize({ a: 'x'.repeat(1_000), b: [1, 2, { c: null }] })).toBeGreaterThan(1_000);
});

/** A database whose heap is small. */
async function smallDatabase(): Promise<Db> {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const small = await startBin(join(folder.path, 'data'), join(folder.path, 'a.sock'), [
    '--max-old-space-size=64',
  ]);
  onTestFinished(() => void small.end('SIGTERM'));
  const client = await MongoClient.connect(small.url);
  onTestFinished(() => client.close());
  return client.db('memory');
}

test('lists of values and of alternatives do not outgrow the heap, whatever indexes there are', async () => {
  const listed = (await smallDatabase()).collection('listed');
  await listed.insertOne({ n: 1 });
  for (let i = 0; i < 4; i++) await listed.createIndex({ n: 1, [`f${i}`]: 1 });
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  for (const filter of [
    { n: { $in: numbers(150_000) } },
    { n: { $nin: numbers(300_000) } },
    { $or: numbers(50_000).map((n) => ({ n })) },
  ]) {
    await expect(listed.findOne(filter)).rejects.toMatchObject({ code: 292 });
    await expect(listed.countDocuments(filter)).rejects.toMatchObject({ code: 292 });
    await expect(listed.updateMany(filter, { $inc: { m: 1 } })).rejects.toMatchObject({ code: 292 });
  }
  expect(await listed.countDocuments({ n: { $in: numbers(20_000) } })).toBe(1);
});

test('distinct has a limit', async () => {
  const many = (await smallDatabase()).collection<{ _id: number; n: number[] }>('many');
  for (let _id = 0; _id < 15; _id++) {
    await many.insertOne({ _id, n: Array.from({ length: 20_000 }, (_, i) => _id * 20_000 + i) });
  }
  await expect(many.distinct('n')).rejects.toMatchObject({ code: 292 });
  expect(await many.distinct('n', { _id: { $lt: 3 } })).toHaveLength(60_000);
});

test('what has come up of an index of arrays is counted', async () => {
  const folder = temporaryFolder();
  const engine = new Engine(folder.path);
  onTestFinished(async () => {
    await engine.close();
    folder.remove();
  });
  await engine.environment.write(() => {
    const collection = engine.catalog.ensure('memory', 'tagged');
    beginBuild(engine, collection, [readIndexRequest({ key: { tags: 1, n: 1 }, name: 'tags' })]);
    for (let i = 0; i < 100; i++) {
      const doc = { _id: `${i}${'x'.repeat(900)}`, tags: [1, 2], n: i % 2 };
      engine.writer.insert(collection, doc, encode(doc));
    }
  });
  const collection = engine.catalog.get('memory.tagged') as Collection;
  const found = (filter: Doc) => {
    const plan = planQuery(engine, collection, queryFor(filter));
    const memory = new Memory(200_000).begin('Planning');
    return [...runPlan(engine.environment, plan, { keysExamined: 0, docsExamined: 0 }, memory)];
  };
  expect(() => found({ tags: { $gte: 1 } })).toThrow('Planning exceeded memory limit');
  // Of one element each document comes up once, which takes no counting.
  for (const filter of [{ tags: 1 }, { tags: 1, n: { $in: [0, 1] } }]) {
    expect(found(filter).filter((hit) => hit !== undefined)).toHaveLength(100);
  }
});

test('a smaller heap has smaller limits, and is not outgrown by texts of two bytes a character', async () => {
  const wide = (await smallDatabase()).collection('wide');
  for (let begun = 0; begun < 16_000; begun += 1_000) {
    const texts = Array.from({ length: 1_000 }, (_, i) => ({ text: `${begun + i}${'🙂'.repeat(1_980)}` }));
    await wide.insertMany(texts);
  }
  const grouped = () => wide.aggregate([{ $group: { _id: '$text' } }, { $count: 'n' }]).toArray();
  for (const answer of await Promise.allSettled([grouped(), grouped(), grouped()])) {
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 292 } });
  }
  expect(await wide.countDocuments()).toBe(16_000);
});
