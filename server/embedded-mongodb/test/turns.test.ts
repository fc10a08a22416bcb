/** Large commands: others have their turn in the middle of them, they keep to maxTimeMS, and their parts count as one. */
import { expect, test } from 'vitest';
import { useDatabase } from './open-database.ts';

const opened = useDatabase();

const things = (name: string) =>
  opened.client.db('turns').collection<{ _id: number; [field: string]: unknown }>(name);

const numbered = (count: number) =>
  Array.from({ length: count }, (_, _id) => ({ _id, n: _id % 10, text: 'x'.repeat(50) }));

/** Runs something slow, and gives how often another connection was answered meanwhile. */
async function turnsDuring(slow: Promise<unknown>): Promise<number> {
  let answered = 0;
  let isRunning = true;
  void slow
    .catch(() => {})
    .finally(() => {
      isRunning = false;
    });
  while (isRunning) {
    await opened.client.db('turns').command({ ping: 1 });
    answered++;
  }
  return answered;
}

test('a long read gives others their turn, and ends at its time limit', async () => {
  const collection = things('long');
  for (let i = 0; i < 5; i++) {
    await collection.insertMany(numbered(10_000).map((one) => ({ ...one, _id: one._id + i * 10_000 })));
  }
  const slow = collection.find({ text: { $regex: 'y$' } }).toArray();
  expect(await turnsDuring(slow)).toBeGreaterThan(3);
  expect(await slow).toEqual([]);
  await expect(
    collection
      .find({ text: { $regex: 'y$' } })
      .maxTimeMS(1)
      .toArray(),
  ).rejects.toMatchObject({ code: 50 });
});

test('large documents give others their turn as many small ones do, sorted as well', async () => {
  const collection = things('large');
  await collection.insertMany(numbered(90).map((one) => ({ ...one, text: 'é'.repeat(150_000) })));
  const projection = { n: 1 };
  for (const sort of ['_id', 'n']) {
    // Matching reads all of each document; otherwise only the bytes of what is wanted would be copied.
    const filter = { n: { $gte: 0 } };
    const read = collection.find(filter, { sort: { [sort]: 1 }, projection, batchSize: 100 }).toArray();
    expect(await turnsDuring(read)).toBeGreaterThan(3);
    expect(await read).toHaveLength(90);
  }
});

test('changes of many documents and pipelines give others their turn, and end at their time limit', {
  timeout: 120_000,
}, async () => {
  const collection = opened.client.db('turns').collection<{ _id: number; n: number; text: string }>('many');
  for (let i = 0; i < 2; i++) {
    await collection.insertMany(numbered(10_000).map((one) => ({ ...one, _id: one._id + i * 10_000 })));
  }
  const slow = { text: { $regex: 'x$' } };
  const group = [{ $match: slow }, { $sort: { text: 1 } }, { $group: { _id: '$text', n: { $sum: '$n' } } }];
  const grouped = collection.aggregate(group).toArray();
  expect(await turnsDuring(grouped)).toBeGreaterThan(3);
  expect(await grouped).toEqual([{ _id: 'x'.repeat(50), n: 90_000 }]);

  // The index that finds them is the one that the change moves them in.
  await collection.createIndex({ n: 1 });
  const updated = collection.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1 } });
  expect(await turnsDuring(updated)).toBeGreaterThan(3);
  expect(await updated).toMatchObject({ matchedCount: 20_000, modifiedCount: 20_000 });
  expect(await collection.countDocuments({ n: { $gte: 1, $lte: 10 } })).toBe(20_000);
  const none = collection.updateMany({ text: { $regex: 'y$' } }, { $set: { text: 'z' } }, { upsert: true });
  expect(await turnsDuring(none)).toBeGreaterThan(3);
  expect(await none).toMatchObject({ matchedCount: 0, upsertedCount: 1 });

  const late = { code: 50, codeName: 'MaxTimeMSExpired' };
  const maxTimeMS = 1;
  await expect(collection.aggregate(group, { maxTimeMS }).toArray()).rejects.toMatchObject(late);
  await expect(collection.updateMany(slow, { $inc: { n: 1 } }, { maxTimeMS })).rejects.toMatchObject(late);
  await expect(collection.deleteMany(slow, { maxTimeMS })).rejects.toMatchObject(late);
  await expect(collection.distinct('n', slow, { maxTimeMS })).rejects.toMatchObject(late);
  await expect(collection.countDocuments(slow, { maxTimeMS })).rejects.toMatchObject(late);
  const unindexed = collection.findOneAndUpdate({ text: 'nothing' }, { $set: { n: 1 } }, { maxTimeMS });
  await expect(unindexed).rejects.toMatchObject(late);

  const deleted = collection.deleteMany({ ...slow, _id: { $gte: 100 } });
  expect(await turnsDuring(deleted)).toBeGreaterThan(3);
  const before = await collection.countDocuments();
  expect((await deleted).deletedCount).toBeGreaterThan(0);
  expect(before).toBe(101);
  expect((await opened.client.db('turns').command({ validate: 'many' })).errors).toEqual([]);
});

test('an update of many in parts counts as one, and leaves what it did before an error', async () => {
  const collection = things('half');
  await collection.insertMany(numbered(2000));
  await collection.updateOne({ _id: 1500 }, { $set: { n: 'text' } });
  const failed = await opened.client.db('turns').command({
    update: 'half',
    updates: [
      { q: { _id: { $gte: 0 } }, u: { $inc: { n: 100 } }, multi: true },
      { q: { _id: 0 }, u: { $set: { text: 'after' } } },
    ],
    ordered: false,
  });
  expect(failed).toMatchObject({ n: 1, nModified: 1, writeErrors: [{ index: 0, code: 14 }] });
  expect(await collection.countDocuments({ n: { $gte: 100 } })).toBe(1500);
  expect(await collection.findOne({ _id: 0 })).toMatchObject({ text: 'after' });
});

test('large inserts and deletions, which are done in parts, count and fail as one', async () => {
  const collection = things('parts');
  await collection.createIndex({ n: 1 });
  const some = numbered(3500);
  some[2400] = { ...(some[0] as { _id: number; n: number; text: string }) };
  const ordered = await collection.insertMany(some).catch((error) => error);
  expect(ordered).toMatchObject({
    code: 11000,
    result: { insertedCount: 2400 },
    writeErrors: [{ index: 2400 }],
  });
  await collection.deleteMany({});
  const unordered = await collection.insertMany(some, { ordered: false }).catch((error) => error);
  expect(unordered).toMatchObject({
    code: 11000,
    result: { insertedCount: 3499 },
    writeErrors: [{ index: 2400 }],
  });
  expect(await collection.countDocuments()).toBe(3499);
  expect((await collection.deleteMany({ _id: { $gte: 100 } })).deletedCount).toBe(3399);
  expect((await collection.deleteMany({ n: { $in: [1, 2] } })).deletedCount).toBe(20);
  expect(await collection.countDocuments()).toBe(80);
  expect((await opened.client.db('turns').command({ validate: 'parts' })).errors).toEqual([]);
});

test('a count by an index alone gives others their turn, ends at its time limit, and goes no further than its own', async () => {
  const collection = things('counted');
  for (let i = 0; i < 8; i++) {
    await collection.insertMany(
      Array.from({ length: 60_000 }, (_, n) => ({ _id: n + i * 60_000, n: n % 10 })),
    );
  }
  await collection.createIndex({ n: 1 });
  const all = { n: { $gte: 0 } };
  const counted = collection.countDocuments(all);
  expect(await turnsDuring(counted)).toBeGreaterThan(1);
  expect(await counted).toBe(480_000);
  for (const [options, expected] of [
    [{ limit: 50_000 }, 50_000],
    [{ limit: 100_001 }, 100_001],
    [{ skip: 50_000, limit: 100_000 }, 100_000],
    [{ skip: 470_000, limit: 50_000 }, 10_000],
    [{ skip: 500_000 }, 0],
  ] as const) {
    expect(await collection.count(all, options)).toBe(expected);
  }
  expect(await collection.countDocuments({ n: { $in: [1, 3, 5, 7] } })).toBe(192_000);
  expect(await collection.countDocuments({ _id: { $gte: 50_000, $lt: 150_001 } })).toBe(100_001);
  await expect(collection.count(all, { maxTimeMS: 1 })).rejects.toMatchObject({ code: 50 });
});

test('changes of documents with thousands of index entries each give others their turn', async () => {
  const collection = opened.client
    .db('turns')
    .collection<{ _id: number; keys: number[]; n?: number }>('keyed');
  await collection.createIndex({ keys: 1 });
  const documents = Array.from({ length: 40 }, (_, _id) => ({
    _id,
    keys: Array.from({ length: 6_000 }, (_, n) => _id * 6_000 + n),
  }));
  const inserted = collection.insertMany(documents);
  expect(await turnsDuring(inserted)).toBeGreaterThan(10);
  expect((await inserted).insertedCount).toBe(40);
  const deleted = collection.deleteMany({});
  expect(await turnsDuring(deleted)).toBeGreaterThan(3);
  expect((await deleted).deletedCount).toBe(40);
  expect(await collection.countDocuments({ keys: { $gte: 0 } })).toBe(0);
  // Of many callers at once, too.
  const alone = Promise.all(documents.map((one) => collection.insertOne(one)));
  expect(await turnsDuring(alone)).toBeGreaterThan(10);
  expect(await collection.countDocuments({ keys: { $gte: 0 } })).toBe(40);
});

test('a filter or projection of very many fields takes no longer for each of them', {
  timeout: 45_000,
}, async () => {
  const collection = things('wide');
  const fields = (prefix: string) =>
    Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`${prefix}f${n}`, 1]));
  const filter = { _id: 1, ...fields(''), ...fields('inside.') };
  const made = await collection.updateOne(filter, { $set: { isMade: true } }, { upsert: true });
  expect(made).toMatchObject({ upsertedCount: 1 });
  const projection = { ...fields(''), 'inside.f7': 1 };
  const found = await collection.findOne({ _id: 1 }, { projection });
  expect(found).toEqual({ _id: 1, ...fields(''), inside: { f7: 1 } });
});
