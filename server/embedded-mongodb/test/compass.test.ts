/** What MongoDB Compass sends, as its source has it: when it connects, and for a collection's sizes and documents. */
import { expect, test } from 'vitest';
import { useDatabase } from './open-database.ts';

const opened = useDatabase();

test('what Compass asks when it connects, and of a collection, is answered', async () => {
  const admin = opened.client.db('admin');
  await admin.command({ connectionStatus: 1, showPrivileges: true });
  const { system } = await admin.command({ hostInfo: 1 });
  expect(system.numCores).toBeGreaterThan(0);
  await admin.command({ buildInfo: 1 });
  expect(await opened.client.db('admin').collection('atlascli').countDocuments({})).toBe(0);
  const collection = opened.client.db('compass').collection<{ _id: number }>('things');
  await collection.insertMany(Array.from({ length: 200 }, (_, _id) => ({ _id, text: 'x'.repeat(50) })));
  const storageStats = { $collStats: { storageStats: {} } };
  const sumOf = (field: string) => ({ $sum: { $toDouble: `$storageStats.${field}` } });
  const multiplied = [{ $toDouble: '$storageStats.avgObjSize' }, { $toDouble: '$storageStats.count' }];
  const average = {
    if: { $ne: ['$count', 0] },
    // biome-ignore lint/suspicious/noThenProperty: the name is MongoDB's
    then: { $divide: ['$unscaled', { $toDouble: '$count' }] },
    else: 0,
  };
  const [sizes] = await collection
    .aggregate([
      storageStats,
      {
        $group: {
          _id: null,
          capped: { $first: '$storageStats.capped' },
          count: { $sum: '$storageStats.count' },
          size: sumOf('size'),
          freeStorageSize: sumOf('freeStorageSize'),
          unscaled: { $sum: { $multiply: multiplied } },
          nindexes: { $max: '$storageStats.nindexes' },
        },
      },
      { $addFields: { avgObjSize: { $cond: average } } },
    ])
    .toArray();
  expect(sizes).toMatchObject({ capped: false, count: 200, freeStorageSize: 0, nindexes: 1 });
  expect(sizes?.avgObjSize).toBe(Math.floor(sizes?.size / 200));
  const indexSizes = await collection
    .aggregate([
      storageStats,
      { $project: { indexSizes: { $objectToArray: '$storageStats.indexSizes' } } },
      { $unwind: '$indexSizes' },
      { $group: { _id: '$indexSizes.k', size: { $sum: { $toDouble: '$indexSizes.v' } } } },
    ])
    .toArray();
  expect(indexSizes).toEqual([{ _id: '_id_', size: expect.any(Number) }]);
  await expect(collection.aggregate([{ $indexStats: {} }]).toArray()).rejects.toThrow(
    'Unrecognized pipeline stage name',
  );
  await opened.client.withSession(async (session) => {
    expect(await collection.find({}, { session, sort: { _id: 1 }, limit: 20 }).toArray()).toHaveLength(20);
  });
});
