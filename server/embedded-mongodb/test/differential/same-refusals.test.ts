/**
 * What MongoDB has and the embedded database has not: each is refused, and the refusal names it. A silent other
 * answer would be a defect; an entry leaves this list when the embedded database learns to do it as MongoDB does.
 */
import { join } from 'node:path';
import { BSONRegExp, Int32, Timestamp } from 'bson';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BinProcess, startBin, temporaryFolder } from '../bin-process.ts';

type Doc = Record<string, unknown>;

const NOT_IMPLEMENTED = 238;
const COLLECTION = 'things';

const filter = (condition: Doc): Doc => ({ find: COLLECTION, filter: condition });
const update = (change: unknown, more: Doc = {}): Doc => ({
  update: COLLECTION,
  updates: [{ q: {}, u: change, ...more }],
});
const pipeline = (...stages: Doc[]): Doc => ({ aggregate: COLLECTION, pipeline: stages, cursor: {} });
const project = (expression: Doc): Doc => pipeline({ $project: { x: expression } });
const pattern = (source: string, options = ''): Doc => filter({ s: new BSONRegExp(source, options) });
const index = (key: Doc, more: Doc = {}): Doc => ({
  createIndexes: COLLECTION,
  indexes: [{ key, name: 'tried', ...more }],
});

/** What has to be in the message, and the command. */
const REFUSALS: [name: string, command: Doc][] = [
  ['$where', filter({ $where: 'true' })],
  ['$expr', filter({ $expr: { $eq: ['$a', 1] } })],
  ['$text', filter({ $text: { $search: 'x' } })],
  ['$jsonSchema', filter({ $jsonSchema: {} })],
  ['$sampleRate', filter({ $sampleRate: 0.5 })],
  ['$alwaysTrue', filter({ $alwaysTrue: 1 })],
  ['$geoWithin', filter({ a: { $geoWithin: { $center: [[0, 0], 1] } } })],
  ['$geoIntersects', filter({ a: { $geoIntersects: {} } })],
  ['$near', filter({ a: { $near: [0, 0] } })],
  ['$nearSphere', filter({ a: { $nearSphere: [0, 0] } })],
  ['$bitsAllSet', filter({ a: { $bitsAllSet: 1 } })],
  ['$bitsAllClear', filter({ a: { $bitsAllClear: 1 } })],
  ['$bitsAnySet', filter({ a: { $bitsAnySet: 1 } })],
  ['$bitsAnyClear', filter({ a: { $bitsAnyClear: 1 } })],
  ['possessive', pattern('a++')],
  ['(?<', pattern('(?<=a)b')],
  ['(?>', pattern('(?>a)b')],
  ['(?P', pattern('(?P<name>a)')],
  ['(?i', pattern('(?i)a')],
  ['(?#', pattern('(?#note)a')],
  ['(*', pattern('(*UCP)a')],
  ['\\1', pattern('(a)\\1')],
  ['\\p', pattern('\\p{L}')],
  ['\\h', pattern('\\h')],
  ['\\K', pattern('a\\Kb')],
  ['\\Q', pattern('\\Qa.b\\E')],
  ['POSIX', pattern('[[:alpha:]]')],
  ['repetition inside of another', pattern('(a+)+b')],
  ['$meta', { find: COLLECTION, filter: {}, projection: { x: { $meta: 'textScore' } } }],
  ['$meta', { find: COLLECTION, filter: {}, sort: { x: { $meta: 'textScore' } } }],
  ['collation', { find: COLLECTION, filter: {}, collation: { locale: 'de' } }],
  ['$bit', update({ $bit: { a: { and: new Int32(1) } } })],
  ['pipeline', update([{ $set: { a: 1 } }])],
  ['timestamp', update({ $currentDate: { a: { $type: 'timestamp' } } })],
  ['timestamp', update({ a: new Timestamp({ t: 0, i: 0 }) })],
  ['timestamp', update({ a: new Timestamp({ t: 0, i: 0 }) }, { q: { a: 'none' }, upsert: true })],
  ['timestamp', { insert: COLLECTION, documents: [{ a: new Timestamp({ t: 0, i: 0 }) }] }],
  ['collation', update({ $set: { a: 1 } }, { collation: { locale: 'de' } })],
  ['positional', update({ $set: { 'l.$': 1 } }, { q: { $or: [{ l: 1 }, { a: 9 }] } })],
  ['__proto__', update({ $set: { 'a.__proto__': 1 } })],
  ['numeric field name', update({ $set: { 'o.5': 1 } })],
  ['$lookup', pipeline({ $lookup: { from: 'x', localField: 'a', foreignField: 'b', as: 'c' } })],
  ['$graphLookup', pipeline({ $graphLookup: {} })],
  ['$bucket', pipeline({ $bucket: { groupBy: '$a', boundaries: [0, 1] } })],
  ['$bucketAuto', pipeline({ $bucketAuto: { groupBy: '$a', buckets: 2 } })],
  ['$sortByCount', pipeline({ $sortByCount: '$a' })],
  ['$replaceRoot', pipeline({ $replaceRoot: { newRoot: '$o' } })],
  ['$replaceWith', pipeline({ $replaceWith: '$o' })],
  ['$redact', pipeline({ $redact: '$$KEEP' })],
  ['$sample', pipeline({ $sample: { size: 1 } })],
  ['$unionWith', pipeline({ $unionWith: 'x' })],
  ['$out', pipeline({ $out: 'x' })],
  ['$merge', pipeline({ $merge: 'x' })],
  ['$setWindowFields', pipeline({ $setWindowFields: {} })],
  ['$densify', pipeline({ $densify: {} })],
  ['$fill', pipeline({ $fill: {} })],
  ['$geoNear', pipeline({ $geoNear: {} })],
  ['$changeStream', pipeline({ $changeStream: {} })],
  ['$stdDevPop', pipeline({ $group: { _id: null, x: { $stdDevPop: '$a' } } })],
  ['$mergeObjects', pipeline({ $group: { _id: null, x: { $mergeObjects: '$o' } } })],
  ['$topN', pipeline({ $group: { _id: null, x: { $topN: {} } } })],
  ['$firstN', pipeline({ $group: { _id: null, x: { $firstN: {} } } })],
  ['$percentile', pipeline({ $group: { _id: null, x: { $percentile: {} } } })],
  ['$add', project({ $add: [1, 2] })],
  ['$subtract', project({ $subtract: [1, 2] })],
  ['$multiply', project({ $multiply: [1, 2] })],
  ['$divide', project({ $divide: [1, 2] })],
  ['$map', project({ $map: { input: '$l', in: '$$this' } })],
  ['$filter', project({ $filter: { input: '$l', cond: true } })],
  ['$reduce', project({ $reduce: {} })],
  ['$switch', project({ $switch: { branches: [] } })],
  ['$arrayElemAt', project({ $arrayElemAt: ['$l', 0] })],
  ['$size', project({ $size: '$l' })],
  ['$substrCP', project({ $substrCP: ['$s', 0, 1] })],
  ['$regexMatch', project({ $regexMatch: { input: '$s', regex: 'a' } })],
  ['$toString', project({ $toString: '$a' })],
  ['$dateAdd', project({ $dateAdd: {} })],
  ['$year', project({ $year: '$t' })],
  ['$function', project({ $function: {} })],
  ['$let', project({ $let: { vars: {}, in: 1 } })],
  ['$$CLUSTER_TIME', pipeline({ $project: { x: '$$CLUSTER_TIME' } })],
  ['Europe/Berlin', project({ $dateToString: { date: '$t', timezone: 'Europe/Berlin' } })],
  ['let', { ...pipeline({ $match: {} }), let: { a: 1 } }],
  ['text', index({ s: 'text' })],
  ['2dsphere', index({ a: '2dsphere' })],
  ['hashed', index({ a: 'hashed' })],
  ['wildcardProjection', index({ '$**': 1 }, { wildcardProjection: { a: 1 } })],
  ['collation', index({ a: 1 }, { collation: { locale: 'de' } })],
];

/** Commands as a whole, which MongoDB's own number for an unknown command refuses. */
const COMMANDS = ['mapReduce', 'explainX', 'bulkWrite', 'replSetGetStatus', 'createUser', 'abortTransaction'];

const folder = temporaryFolder();
let server: BinProcess;
let client: MongoClient;

beforeAll(async () => {
  server = await startBin(join(folder.path, 'data'), join(folder.path, 'db.sock'));
  client = await MongoClient.connect(server.url);
  const document = { _id: 1, a: 9, s: 'a', l: [1, 2], o: { b: 1 }, t: new Date(0) };
  await client.db('refusals').command({ insert: COLLECTION, documents: [document] });
});

afterAll(async () => {
  await client?.close();
  await server?.end('SIGTERM');
  folder.remove();
});

async function failure(command: Doc): Promise<{ code: unknown; message: string }> {
  try {
    const reply = (await client.db('refusals').command(command)) as { writeErrors?: Doc[] };
    const [error] = reply.writeErrors ?? [];
    return { code: error?.code, message: String(error?.errmsg ?? JSON.stringify(reply)) };
  } catch (error) {
    const { code, message } = error as { code: unknown; message: string };
    return { code, message };
  }
}

test('the list is long enough to mean something', () => expect(REFUSALS.length).toBeGreaterThanOrEqual(60));

test.each(REFUSALS)('%s is refused by name', async (name, command) => {
  const { code, message } = await failure(command);
  expect(message).toContain(name);
  expect(code).toBe(NOT_IMPLEMENTED);
});

test.each(COMMANDS)('the command %s is refused by name', async (name) => {
  const { code, message } = await failure({ [name]: 1 });
  expect(message).toContain(name);
  expect([59, NOT_IMPLEMENTED]).toContain(code);
});
