/** What MongoDB has and this database has not: each is refused, and the refusal names it. */
import { join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BinProcess, startBin, temporaryFolder } from './bin-process.ts';

const folder = temporaryFolder();
let server: BinProcess;
let client: MongoClient;

beforeAll(async () => {
  server = await startBin(join(folder.path, 'data'), join(folder.path, 'db.sock'));
  client = await MongoClient.connect(server.url);
  await client
    .db('refused')
    .collection('c')
    .insertOne({ a: 1, loc: [1, 2] });
});

afterAll(async () => {
  await client?.close();
  await server?.end('SIGTERM');
  folder.remove();
});

const aggregate = (stage: object) => ({ aggregate: 'c', pipeline: [stage], cursor: {} });
const filter = (condition: object) => ({ find: 'c', filter: condition });
const update = (u: object, more: object = {}) => ({ update: 'c', updates: [{ q: {}, u, ...more }] });
const index = (key: object, more: object = {}) => ({
  createIndexes: 'c',
  indexes: [{ key, name: 'i', ...more }],
});

/** Name -> a command that needs it. */
const REFUSED: [name: string, command: Record<string, unknown>][] = [
  ...[
    'mapReduce',
    'serverStatus',
    'getParameter',
    'setParameter',
    'currentOp',
    'killOp',
    'shutdown',
    'replSetGetStatus',
    'replSetInitiate',
    'startSession',
    'refreshSessions',
    'commitTransaction',
    'abortTransaction',
    'saslStart',
    'authenticate',
    'createUser',
    'createRole',
    'grantRolesToUser',
    'usersInfo',
    'collMod',
    'compact',
    'reIndex',
    'convertToCapped',
    'cloneCollectionAsCapped',
    'fsync',
    'top',
    'profile',
    'getLog',
    'bulkWrite',
    'planCacheClear',
    'planCacheSetFilter',
    'dataSize',
    'filemd5',
    'enableSharding',
    'shardCollection',
    'listSearchIndexes',
    'createSearchIndexes',
    'setFeatureCompatibilityVersion',
    'geoSearch',
    'eval',
    'parallelCollectionScan',
    'whatsmyuri',
    'atlasVersion',
  ].map((name): [string, Record<string, unknown>] => [name, { [name]: 1 }]),
  ['$where', filter({ $where: 'true' })],
  ['$text', filter({ $text: { $search: 'x' } })],
  ['$near', filter({ loc: { $near: [1, 1] } })],
  ['$geoWithin', filter({ loc: { $geoWithin: { $center: [[0, 0], 1] } } })],
  ['$jsonSchema', filter({ $jsonSchema: { required: ['a'] } })],
  ['$bitsAllSet', filter({ a: { $bitsAllSet: 1 } })],
  ['collation', { find: 'c', collation: { locale: 'de' } }],
  ['let', { find: 'c', let: { x: 1 } }],
  ['tailable', { find: 'c', tailable: true }],
  ['showRecordId', { find: 'c', showRecordId: true }],
  ['returnKey', { find: 'c', returnKey: true }],
  ['min', { find: 'c', min: { a: 1 } }],
  ['max', { find: 'c', max: { a: 1 } }],
  ...[{ $unset: ['a', 'loc.x'] }, { $project: { 'loc.x': 0 } }, { $project: { loc: { x: 0 } } }].map(
    (stage): [string, Record<string, unknown>] => [
      'a sort by a place in an array',
      { aggregate: 'c', pipeline: [{ $sort: { 'loc.0.x': 1 } }, stage], cursor: {} },
    ],
  ),
  ...[
    { date: new Date(8.64e15), timezone: '+14:00' },
    { date: new Date(-8.64e15), timezone: '-12:00' },
  ].map((operand): [string, Record<string, unknown>] => [
    '$dateToString of a year',
    aggregate({ $project: { x: { $dateToString: { ...operand, format: '%m' } } } }),
  ]),
  ['a sort by a place in an array', { find: 'c', sort: { 'loc.0': 1 }, projection: { loc: 1 } }],
  ['collation', { count: 'c', collation: { locale: 'de' } }],
  ['collation', { distinct: 'c', key: 'a', collation: { locale: 'de' } }],
  ['collation', { findAndModify: 'c', remove: true, collation: { locale: 'de' } }],
  ['collation', { delete: 'c', deletes: [{ q: {}, limit: 0, collation: { locale: 'de' } }] }],
  ['collation', update({ $set: { a: 1 } }, { collation: { locale: 'de' } })],
  ['let', { ...update({ $set: { a: 1 } }), let: { x: 1 } }],
  ['$bit', update({ $bit: { a: { and: 1 } } })],
  ['$lookup', aggregate({ $lookup: { from: 'd', localField: 'a', foreignField: 'a', as: 'x' } })],
  ['$graphLookup', aggregate({ $graphLookup: {} })],
  ['$out', aggregate({ $out: 'd' })],
  ['$merge', aggregate({ $merge: 'd' })],
  ['$unionWith', aggregate({ $unionWith: 'd' })],
  ['$bucket', aggregate({ $bucket: { groupBy: '$a', boundaries: [0, 1] } })],
  ['$bucketAuto', aggregate({ $bucketAuto: { groupBy: '$a', buckets: 2 } })],
  ['$facet', aggregate({ $facet: { x: [] } })],
  ['$dateTrunc', aggregate({ $project: { x: { $dateTrunc: { date: '$t', unit: 'day' } } } })],
  ['$concat', aggregate({ $project: { x: { $concat: ['$a', 'x'] } } })],
  ['$sample', aggregate({ $sample: { size: 1 } })],
  ['$geoNear', aggregate({ $geoNear: {} })],
  ['$changeStream', aggregate({ $changeStream: {} })],
  ['$setWindowFields', aggregate({ $setWindowFields: {} })],
  ['$densify', aggregate({ $densify: {} })],
  ['$fill', aggregate({ $fill: {} })],
  ['latencyStats', aggregate({ $collStats: { latencyStats: {} } })],
  ['$indexStats', aggregate({ $indexStats: {} })],
  ['$search', aggregate({ $search: {} })],
  ['$function', aggregate({ $project: { x: { $function: { body: 'x', args: [], lang: 'js' } } } })],
  ['$accumulator', aggregate({ $group: { _id: null, x: { $accumulator: {} } } })],
  ['$stdDevPop', aggregate({ $group: { _id: null, x: { $stdDevPop: '$a' } } })],
  ['collation', { ...aggregate({ $match: {} }), collation: { locale: 'de' } }],
  ['text', index({ a: 'text' })],
  ['hashed', index({ a: 'hashed' })],
  ['2dsphere', index({ a: '2dsphere' })],
  ['2d', index({ a: '2d' })],
  ['collation', index({ a: 1 }, { collation: { locale: 'de' } })],
  ['hidden', index({ a: 1 }, { hidden: true })],
  ['wildcardProjection', index({ a: 1 }, { wildcardProjection: { a: 1 } })],
  ['loc.0', index({ 'loc.0': 1 })],
  ['capped', { create: 'd', capped: true, size: 1000 }],
  ['validator', { create: 'd', validator: { a: 1 } }],
  ['viewOn', { create: 'd', viewOn: 'c', pipeline: [] }],
  ['timeseries', { create: 'd', timeseries: { timeField: 't' } }],
  ['collation', { create: 'd', collation: { locale: 'de' } }],
  ['clusteredIndex', { create: 'd', clusteredIndex: { key: { _id: 1 }, unique: true } }],
  ['snapshot', { find: 'c', readConcern: { level: 'snapshot' } }],
  ['linearizable', { find: 'c', readConcern: { level: 'linearizable' } }],
  ['Transaction', { find: 'c', txnNumber: 1, startTransaction: true, autocommit: false }],
];

test('there are enough of them', () => {
  expect(REFUSED.length).toBeGreaterThan(60);
});

test.each(REFUSED)('%s', async (name, command) => {
  const answer: unknown = await client
    .db('refused')
    .command(command)
    .catch((error) => error);
  const told =
    answer instanceof MongoServerError
      ? answer.message
      : JSON.stringify((answer as { writeErrors?: unknown }).writeErrors);
  expect(told).toContain(name);
});

test('a sort beside multi is the whole command’s error, as MongoDB’s', async () => {
  const both = update({ $set: { a: 2 } }, { multi: true, sort: { _id: 1 } });
  await expect(client.db('refused').command(both)).rejects.toMatchObject({ code: 9 });
});

test('a session is taken, and a transaction in it is not', async () => {
  const things = client.db('refused').collection('c');
  await client.withSession(async (session) => {
    expect(await things.findOne({}, { session })).toMatchObject({ a: 1 });
    // The driver's words for error 20 (IllegalOperation).
    await expect(session.withTransaction(() => things.insertOne({ a: 2 }, { session }))).rejects.toThrow(
      'does not support retryable writes',
    );
  });
  expect(await things.countDocuments()).toBe(1);
});

test('a document that could not be given back as it came is not taken', async () => {
  const things = client.db('refused').collection<Record<string, unknown>>('order');
  const awkward: [string, Record<string, unknown>][] = [
    [
      'array index',
      Object.fromEntries([
        ['_id', 1],
        [
          'm',
          new Map([
            ['b', 1],
            ['1', 1],
          ]),
        ],
      ]),
    ],
    [
      'array index',
      {
        _id: 1,
        m: new Map([
          ['2', 1],
          ['1', 1],
        ]),
      },
    ],
  ];
  for (const [name, document] of awkward) await expect(things.insertOne(document)).rejects.toThrow(name);
  await things.insertOne({ _id: 2 as never, m: { 1: 1, 2: 2, b: 3 } });
  await expect(things.updateOne({ _id: 2 as never }, { $set: { 'm.3': 1 } })).rejects.toThrow("'3'");
  await things.updateOne({ _id: 2 as never }, { $set: { 'm.c': 1 }, $unset: { 'm.1': 1 } });
});
