/** What commands promise beyond what the comparison with MongoDB covers: TTL, unique keys, statistics. */
import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { decode, encode } from '../src/bson/document.ts';
import { readIndexRequest } from '../src/command/index-request.ts';
import { prepareInsert } from '../src/command/insert.ts';
import { Engine } from '../src/query/engine.ts';
import { beginBuild } from '../src/query/index-build.ts';
import { removeExpired } from '../src/thread/ttl-monitor.ts';
import { useDatabase } from './open-database.ts';

const opened = useDatabase({ maxPoolSize: 50 });

const things = (name: string) =>
  opened.client.db('commands').collection<{ _id: number; [field: string]: unknown }>(name);

const numbered = (count: number) =>
  Array.from({ length: count }, (_, _id) => ({ _id, n: _id % 10, text: 'x'.repeat(50) }));

test('unmodified mongoose with its defaults', async () => {
  const connection = await mongoose.createConnection(opened.url, { dbName: 'mongoose' }).asPromise();
  const schema = new mongoose.Schema(
    { email: { type: String, unique: true }, tags: [String] },
    { timestamps: true },
  );
  const Person = connection.model('Person', schema);
  await Person.init();
  const person = await Person.create({ email: 'a@example.com', tags: ['x'] });
  person.tags.push('y');
  await person.save();
  expect((await Person.findById(person._id).orFail()).tags).toEqual(['x', 'y']);
  await expect(Person.create({ email: 'a@example.com' })).rejects.toMatchObject({
    code: 11000,
    keyPattern: { email: 1 },
    keyValue: { email: 'a@example.com' },
  });
  const changed = await Person.findOneAndUpdate(
    { email: 'a@example.com' },
    { $addToSet: { tags: 'z' } },
    { returnDocument: 'after' },
  );
  expect(changed?.tags).toEqual(['x', 'y', 'z']);
  await connection.dropDatabase();
  expect(await Person.estimatedDocumentCount()).toBe(0);
  await connection.close();
});

test('a unique key has one winner among many at once', async () => {
  const collection = opened.client.db('commands').collection<{ email: string; try: number }>('unique');
  await collection.createIndex({ email: 1 }, { unique: true });
  for (let round = 0; round < 10; round++) {
    const email = `${round}@example.com`;
    const tries = Array.from({ length: 40 }, (_, i) =>
      i % 2 === 0
        ? collection.insertOne({ email, try: i }).then(() => 1)
        : collection
            .updateOne({ email }, { $setOnInsert: { try: i } }, { upsert: true })
            .then((r) => r.upsertedCount),
    );
    const settled = await Promise.allSettled(tries);
    const wins = settled.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value : 0), 0);
    expect(wins).toBe(1);
    for (const one of settled)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 11000 });
    expect(await collection.countDocuments({ email })).toBe(1);
  }
});

test('a claim by findOneAndUpdate is given once', async () => {
  const collection = opened.client
    .db('commands')
    .collection<{ state: string; n: number; owner?: number }>('claims');
  await collection.createIndex({ state: 1, n: 1 });
  await collection.insertMany(Array.from({ length: 100 }, (_, n) => ({ state: 'open', n })));
  const claims = await Promise.all(
    Array.from({ length: 150 }, (_, owner) =>
      collection.findOneAndUpdate({ state: 'open' }, { $set: { state: 'taken', owner } }, { sort: { n: 1 } }),
    ),
  );
  const given = claims.filter((claim) => claim !== null).map(({ n }) => n);
  expect(given).toHaveLength(100);
  expect(new Set(given).size).toBe(100);
});

test('indexes are used as explain says', async () => {
  const collection = things('explain');
  await collection.createIndexes([
    { key: { account: 1, created: -1, _id: -1 } },
    { key: { email: 1 }, unique: true, sparse: true },
    { key: { state: 1 }, partialFilterExpression: { state: 'open' } },
    { key: { tags: 1 } },
  ]);
  await collection.insertMany(
    Array.from({ length: 500 }, (_, i) => ({
      ...{ _id: i, account: i % 2, created: new Date(i), tags: ['a', i] },
      ...(i % 3 ? { email: `e${i}`, state: 'done' } : { state: 'open' }),
    })),
  );
  const stagesOf = (stage: { stage: string; inputStage?: unknown; inputStages?: unknown[] }): string[] => [
    stage.stage,
    ...[stage.inputStage, ...(stage.inputStages ?? [])].flatMap((inner) =>
      inner ? stagesOf(inner as never) : [],
    ),
  ];
  const explained = async (filter: object, sort: Record<string, 1 | -1> = {}, limit = 0) => {
    const told = await collection.find(filter).sort(sort).limit(limit).explain('executionStats');
    const { totalKeysExamined: keys, totalDocsExamined: docs, nReturned: n } = told.executionStats;
    return { stages: stagesOf(told.queryPlanner.winningPlan).join(' '), keys, docs, n };
  };
  const at = new Date(100);
  const page = { account: 0, $or: [{ created: { $lt: at } }, { created: at, _id: { $lt: 100 } }] };
  const newest = { created: -1, _id: -1 } as const;
  expect(await explained(page, newest, 20)).toEqual({
    stages: 'LIMIT FETCH IXSCAN',
    keys: 20,
    docs: 20,
    n: 20,
  });
  expect(await explained({ account: 0, created: { $lte: at } }, newest, 20)).toMatchObject({ keys: 20 });
  expect(await explained({ account: { $in: [0, 1] } }, newest, 20)).toMatchObject({
    stages: 'LIMIT FETCH SORT_MERGE IXSCAN',
    n: 20,
  });
  expect(await explained({ email: 'e100' })).toMatchObject({ stages: 'FETCH IXSCAN', keys: 1 });
  expect(await explained({ email: null })).toMatchObject({ stages: 'COLLSCAN' });
  expect(await explained({ state: 'open' })).toMatchObject({ stages: 'FETCH IXSCAN', keys: 167 });
  expect(await explained({ state: 'done' })).toMatchObject({ stages: 'COLLSCAN' });
  expect(await explained({ email: { $regex: '^e10' } })).toMatchObject({ stages: 'FETCH IXSCAN', keys: 8 });
  expect(await explained({ tags: { $in: ['a', 7] } })).toMatchObject({
    stages: 'FETCH IXSCAN',
    keys: 501,
    docs: 500,
  });
  expect(await explained({ _id: { $gt: 490 } }, { _id: -1 })).toMatchObject({
    stages: 'FETCH IXSCAN',
    keys: 9,
  });
  expect(await explained({ nothing: 1 }, { other: 1 })).toMatchObject({ stages: 'SORT COLLSCAN', docs: 500 });
  // As many as are asked for, whatever else would pin them down to some of many.
  for (const count of [2, 20, 100]) {
    const even = Array.from({ length: count }, (_, i) => i * 2);
    const found = { keys: count, docs: count, n: count };
    expect(await explained({ _id: { $in: even }, account: 0 })).toEqual({ stages: 'FETCH IXSCAN', ...found });
    expect(
      await explained({ account: 0, _id: { $in: even }, tags: 'a', created: { $gt: new Date(-1) } }),
    ).toEqual({
      stages: 'FETCH IXSCAN',
      ...found,
    });
    expect(await explained({ _id: { $in: even }, account: 0 }, newest, 500)).toMatchObject({
      docs: count,
      n: count,
    });
  }
  expect(await explained({ email: { $in: ['e1', 'e2', 'e4'] }, account: { $in: [0, 1] } })).toMatchObject({
    keys: 3,
  });
  // A list of any length is sought value by value, instead of reading everything.
  const few = Array.from({ length: 20 }, (_, i) => i * 2);
  const nobodys = Array.from({ length: 5_000 }, (_, i) => 1_000 + i);
  const long = [...few, ...nobodys];
  expect(await explained({ _id: { $in: long }, account: 0 })).toMatchObject({ keys: 20, n: 20 });
  const dates = long.map((n) => new Date(n));
  expect(await explained({ account: 0, created: { $in: dates } })).toMatchObject({ keys: 20, n: 20 });
  expect(
    await explained({ $and: [{ _id: { $in: long } }, { _id: { $in: [2, ...nobodys] } }] }),
  ).toMatchObject({
    keys: 1,
    n: 1,
  });
  // Too many ranges to have a cursor each.
  expect(await explained({ account: { $in: [0, ...nobodys] } }, newest, 20)).toEqual({
    stages: 'LIMIT SORT FETCH IXSCAN',
    keys: 250,
    docs: 250,
    n: 20,
  });
});

test('statistics tell the sizes of documents and indexes, as mongosh asks for them', async () => {
  const collection = things('sizes');
  await collection.createIndex({ text: 1, n: 1 });
  await collection.insertMany(numbered(3000));
  const db = opened.client.db('commands');
  const [stats] = await collection.aggregate([{ $collStats: { storageStats: {}, count: {} } }]).toArray();
  const { size, indexSizes, totalIndexSize, totalSize } = stats?.storageStats ?? {};
  expect(stats).toMatchObject({
    ns: 'commands.sizes',
    count: 3000,
    storageStats: { count: 3000, nindexes: 2 },
  });
  expect(size).toBeGreaterThan(3000 * 80);
  // Its keys hold the text of 50 bytes, and the number and the _id behind it.
  expect(indexSizes.text_1_n_1 / 3000).toBeGreaterThan(55);
  expect(indexSizes.text_1_n_1 / 3000).toBeLessThan(100);
  expect(indexSizes._id_).toBeGreaterThan(0);
  expect(totalIndexSize).toBe(indexSizes._id_ + indexSizes.text_1_n_1);
  expect(totalSize).toBe(size + totalIndexSize);
  expect(await db.command({ collStats: 'sizes' })).toMatchObject({ size, indexSizes, totalSize });
  const whole = await db.stats();
  expect(whole.indexSize).toBeGreaterThanOrEqual(totalIndexSize);
  expect(await db.stats({ scale: 1024 })).toMatchObject({ indexSize: whole.indexSize / 1024 });
  await expect(
    things('nowhere')
      .aggregate([{ $collStats: { count: {} } }])
      .toArray(),
  ).rejects.toMatchObject({
    code: 26,
  });
  await expect(collection.dropIndex('nothing')).rejects.toMatchObject({ code: 27 });
});

test('a TTL index removes what has expired, and only dates expire', async () => {
  const engine = new Engine(join(opened.folder, 'ttl'));
  const now = Date.UTC(2026, 0, 1);
  const kept = [
    { _id: 'young', at: new Date(now - 59_000) },
    { _id: 'number', at: 1 },
    { _id: 'missing' },
    { _id: 'null', at: null },
  ];
  const expired = [
    { _id: 'old', at: new Date(now - 61_000) },
    { _id: 'exact', at: new Date(now - 60_000) },
    { _id: 'list', at: [new Date(now), new Date(now - 61_000)] },
  ];
  const many = Array.from({ length: 1200 }, (_, i) => ({ _id: `many${i}`, at: new Date(0) }));
  await engine.environment.write(() => {
    const collection = engine.catalog.ensure('x', 'y');
    const expiring = { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 };
    beginBuild(engine, collection, [readIndexRequest(decode(encode(expiring)))]);
    for (const one of [...kept, ...expired, ...many]) {
      const { doc, raw } = prepareInsert(encode(one));
      engine.writer.insert(collection, doc, raw);
    }
  });
  expect(await removeExpired(engine, { now })).toBe(expired.length + many.length);
  expect(engine.catalog.get('x.y')?.count).toBe(kept.length);
  await engine.close();
});

test('what a dropped collection leaves is gone at once, and removed in time', async () => {
  const collection = things('dropped');
  await collection.insertMany(numbered(2000));
  await collection.createIndex({ n: 1 });
  await collection.drop();
  expect(await collection.countDocuments()).toBe(0);
  await collection.insertOne({ _id: 1 });
  expect(await collection.indexes()).toHaveLength(1);
  expect((await opened.client.db('commands').command({ validate: 'dropped' })).errors).toEqual([]);
});

test('a value that no index can hold is looked for, and refused when it is to be stored', async () => {
  const collection = things('long values');
  await collection.createIndex({ k: 1 });
  await collection.createIndex({ a: -1, b: 1 });
  await collection.createIndex({ u: 1 }, { unique: true, sparse: true });
  const short = 'x'.repeat(1_900);
  const long = 'x'.repeat(3_000);
  await collection.insertMany([
    { _id: 1, k: short, a: short, b: 1 },
    { _id: 2, k: 'y', a: 'y', b: 2 },
  ]);
  const ids = async (filter: object, sort: 1 | -1 = 1) =>
    (await collection.find(filter).sort({ k: sort }).toArray()).map(({ _id }) => _id);
  expect(await ids({ k: long })).toEqual([]);
  expect(await ids({ k: { $in: [long, 'y', short] } })).toEqual([1, 2]);
  expect(await ids({ k: { $gt: long } })).toEqual([2]);
  expect(await ids({ k: { $lt: long } }, -1)).toEqual([1]);
  expect(await ids({ k: { $gte: short, $lt: `${short}${long}` } }, -1)).toEqual([1]);
  expect(await ids({ k: { $regex: `^${long}` } })).toEqual([]);
  expect(await ids({ a: { $lt: long } })).toEqual([1]);
  expect(await ids({ a: { $gt: long }, b: { $gt: 0 } })).toEqual([2]);
  expect(await collection.countDocuments({ a: short, b: { $lte: 1 } })).toBe(1);
  expect(await collection.countDocuments({ k: { $gt: long } })).toBe(1);
  expect(await collection.distinct('a', { a: long })).toEqual([]);
  expect(await collection.findOne({ _id: long as never })).toBeNull();
  const tooLong = { code: 17280 };
  await expect(collection.insertOne({ _id: 3, u: 'x'.repeat(100_000) })).rejects.toMatchObject(tooLong);
  await expect(collection.updateOne({ _id: 1 }, { $set: { u: long } })).rejects.toMatchObject(tooLong);
});
