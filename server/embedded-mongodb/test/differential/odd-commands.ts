/** Commands of every kind with all of their fields, and what comes of them when one field holds something odd. */
import type { Command } from '../../src/command/command.ts';
import { COMMANDS } from '../../src/command/registry.ts';
import type { Random } from '../random.ts';

type Doc = Record<string, unknown>;

/** A command that goes well, with a value in each of its fields. */
export interface Sample {
  command: Doc;
  /** The database that it is for, unless it is the test's own. */
  db?: 'admin';
  /** Whether the collection has to be made anew after it. */
  isWrite?: boolean;
}

/** A sample with one field odd, and what was done to it. */
export interface Oddity extends Sample {
  text: string;
}

export const COLLECTION = 'things';
export const DOCUMENTS: readonly Doc[] = [
  { _id: 1, a: 1, l: [1, 2, 3], s: 'x', o: { b: 1 }, t: new Date(0) },
  { _id: 2, a: 'x', l: [{ k: 1 }, { k: 2 }] },
  { _id: 3, a: null },
];

const VALUES: readonly unknown[] = [null, 7, 'x', {}, [], true, Number.NaN, 2 ** 31, -1, 1.5];

const find = (filter: Doc, more: Doc = {}): Sample => ({ command: { find: COLLECTION, filter, ...more } });
const update = (u: Doc, more: Doc = {}): Sample => ({
  command: { update: COLLECTION, updates: [{ q: { _id: 1 }, u, ...more }] },
  isWrite: true,
});
const aggregate = (...pipeline: Doc[]): Sample => ({
  command: { aggregate: COLLECTION, pipeline, cursor: {} },
});

const samples = (dbName: string): Sample[] => [
  { command: { hello: 1, client: {} } },
  { command: { isMaster: 1 } },
  { command: { ping: 1 } },
  { command: { buildInfo: 1 } },
  { command: { hostInfo: 1 } },
  { command: { connectionStatus: 1, showPrivileges: true } },
  { command: { endSessions: [] } },
  { command: { listDatabases: 1, filter: { name: 'x' }, nameOnly: true }, db: 'admin' },
  { command: { listCollections: 1, filter: { name: 'x' }, nameOnly: true, cursor: { batchSize: 5 } } },
  { command: { create: 'made' }, isWrite: true },
  { command: { drop: COLLECTION }, isWrite: true },
  { command: { dropDatabase: 1 }, isWrite: true },
  {
    command: { renameCollection: `${dbName}.${COLLECTION}`, to: `${dbName}.renamed`, dropTarget: true },
    db: 'admin',
    isWrite: true,
  },
  { command: { listIndexes: COLLECTION, cursor: { batchSize: 5 } } },
  {
    command: {
      createIndexes: COLLECTION,
      indexes: [{ key: { n: 1 }, name: 'n_1', unique: true, sparse: true, v: 2, background: true }],
    },
    isWrite: true,
  },
  {
    command: {
      createIndexes: COLLECTION,
      indexes: [{ key: { t: 1 }, name: 't_1', expireAfterSeconds: 5, partialFilterExpression: { a: 1 } }],
    },
    isWrite: true,
  },
  { command: { dropIndexes: COLLECTION, index: 'a_1' }, isWrite: true },
  { command: { dropIndexes: COLLECTION, index: ['a_1'] }, isWrite: true },
  { command: { dropIndexes: COLLECTION, index: { a: 1 } }, isWrite: true },
  { command: { insert: COLLECTION, documents: [{ _id: 9 }], ordered: true }, isWrite: true },
  find({ _id: 1 }, { sort: { a: 1 }, projection: { a: 1 }, skip: 0, limit: 1, batchSize: 1, hint: '_id_' }),
  find({ _id: 1 }, { singleBatch: true, noCursorTimeout: true, allowPartialResults: true }),
  find({ _id: 1 }, { hint: { _id: 1 }, projection: { l: { $slice: [1, 2] }, o: { b: 1 } } }),
  find({ l: { $gt: 1 } }, { projection: { l: { $elemMatch: { $gt: 1 } } } }),
  find({ a: { $eq: 1, $ne: 2, $gt: 0, $gte: 0, $lt: 5, $lte: 5, $in: [1], $nin: [2], $exists: true } }),
  find({ a: { $type: 'int', $mod: [2, 1], $not: { $gt: 5 } }, s: { $regex: 'x', $options: 'i' } }),
  find({ l: { $all: [1], $size: 3, $elemMatch: { $gt: 1 } }, $comment: 'x' }),
  find({ $and: [{ a: 1 }], $or: [{ a: 1 }], $nor: [{ a: 2 }] }),
  { command: { getMore: 1, collection: COLLECTION, batchSize: 1 } },
  { command: { killCursors: COLLECTION, cursors: [] } },
  update({ $set: { a: 2 } }, { multi: false, upsert: false, hint: '_id_', arrayFilters: [] }),
  update({ $set: { 'l.$[e]': 2 } }, { arrayFilters: [{ e: 1 }] }),
  update({ b: 1 }, { hint: { _id: 1 } }),
  update({ $unset: { s: '' }, $inc: { a: 1 }, $min: { b: 1 }, $max: { c: 1 }, $mul: { d: 2 } }),
  update({ $rename: { a: 'b' }, $currentDate: { t: { $type: 'date' } }, $setOnInsert: { z: 1 } }),
  update({ $push: { l: { $each: [1], $slice: 5, $sort: 1, $position: 0 } } }),
  update({ $addToSet: { l: { $each: [1] } } }),
  update({ $pull: { l: { $gt: 1 } } }),
  update({ $pullAll: { l: [1] } }),
  update({ $pop: { l: 1 } }),
  {
    command: { delete: COLLECTION, deletes: [{ q: { _id: 1 }, limit: 1, hint: '_id_' }], ordered: true },
    isWrite: true,
  },
  {
    command: {
      findAndModify: COLLECTION,
      ...{ query: { _id: 1 }, update: { $set: { a: 2 } }, sort: { _id: 1 }, fields: { a: 1 }, hint: '_id_' },
      ...{ new: true, upsert: true, remove: false, arrayFilters: [] },
    },
    isWrite: true,
  },
  { command: { findAndModify: COLLECTION, query: { _id: 1 }, remove: true }, isWrite: true },
  { command: { count: COLLECTION, query: { a: 1 }, limit: 5, skip: 0, hint: 'a_1' } },
  { command: { distinct: COLLECTION, key: 'a', query: { a: 1 } } },
  {
    command: {
      aggregate: COLLECTION,
      pipeline: [{ $match: { a: 1 } }],
      cursor: { batchSize: 5 },
      hint: 'a_1',
    },
  },
  aggregate({
    $group: { _id: '$a', n: { $sum: 1 }, x: { $avg: '$a' }, y: { $push: '$a' }, c: { $count: {} } },
  }),
  aggregate({ $sort: { a: 1 } }, { $skip: 1 }, { $limit: 1 }),
  aggregate({ $project: { a: 1 } }, { $unset: ['s'] }, { $count: 'n' }),
  aggregate({ $set: { a: '$b' } }, { $addFields: { c: { $ifNull: ['$a', 1] } } }),
  aggregate({ $unwind: { path: '$l', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } }),
  aggregate({ $project: { x: { $cond: [true, 1, 2] }, y: { $dateToString: { date: '$t', format: '%Y' } } } }),
  aggregate({ $collStats: { count: {}, storageStats: { scale: 1 } } }),
  ...['queryPlanner', 'executionStats'].map((verbosity) => ({
    command: { explain: { find: COLLECTION, filter: { a: 1 }, sort: { a: 1 }, limit: 1 }, verbosity },
  })),
  { command: { explain: { update: COLLECTION, updates: [{ q: { a: 1 }, u: { $set: { b: 1 } } }] } } },
  { command: { explain: { delete: COLLECTION, deletes: [{ q: { a: 1 }, limit: 1 }] } } },
  { command: { explain: { count: COLLECTION, query: { a: 1 } } } },
  { command: { explain: { distinct: COLLECTION, key: 'a', query: { a: 1 } } } },
  { command: { explain: { aggregate: COLLECTION, pipeline: [{ $match: { a: 1 } }], cursor: {} } } },
  { command: { explain: { findAndModify: COLLECTION, query: { a: 1 }, sort: { a: 1 }, remove: true } } },
  { command: { dbStats: 1, scale: 1, freeStorage: 0 } },
  { command: { collStats: COLLECTION, scale: 1 } },
  { command: { validate: COLLECTION, full: true } },
];

/** Fields of statements and options, beside those that the commands declare. */
const INNER: Record<string, [path: string[], fields: string[]]> = {
  update: [
    ['updates', '0'],
    ['q', 'u', 'upsert', 'multi', 'arrayFilters', 'hint', 'collation', 'c', 'sort'],
  ],
  delete: [
    ['deletes', '0'],
    ['q', 'limit', 'hint', 'collation'],
  ],
  createIndexes: [
    ['indexes', '0'],
    ['ns', 'hidden', 'prepareUnique', 'collation', 'weights', 'bits', 'min'],
  ],
};

const GENERIC: Doc = {
  readConcern: { level: 'local' },
  writeConcern: { w: 1, j: true, wtimeout: 5 },
  maxTimeMS: 60_000,
  comment: 'x',
  apiVersion: '1',
  apiStrict: false,
  apiDeprecationErrors: false,
};

/** Every sample with every field odd in every way, and without it. */
export function* oddities(dbName: string): Generator<Oddity> {
  const seen = new Set<string>();
  for (const sample of samples(dbName)) {
    for (const one of [...odd(sample), ...declared(sample, seen)]) yield one;
  }
  for (const command of [{ find: COLLECTION }, { insert: COLLECTION, documents: [{ _id: 9 }] }]) {
    for (const one of odd({ command: { ...command, ...GENERIC }, isWrite: true })) yield one;
  }
}

/** A sample that is odd in two places. */
export function randomOddity(dbName: string, random: Random): Oddity {
  const once = oddOf(random.pick(samples(dbName)), random);
  const twice = oddOf(once, random);
  return { ...twice, text: `${once.text}, ${twice.text}` };
}

function oddOf(sample: Sample, random: Random): Oddity {
  const [first, ...others] = [...placesIn(sample.command)] as [string[], ...string[][]];
  return withValue(sample, others.length > 0 ? random.pick(others) : first, random.pick(VALUES));
}

/** Every place in a sample in turn. */
function* odd(sample: Sample): Generator<Oddity> {
  for (const path of placesIn(sample.command)) {
    for (const value of [undefined, ...VALUES]) {
      // Without its name a command is another one.
      if (value === undefined && path.length === 1 && path[0] === Object.keys(sample.command)[0]) continue;
      yield withValue(sample, path, value);
    }
  }
}

/** The fields that the command has and the sample has not. Once for each command. */
function* declared(sample: Sample, seen: Set<string>): Generator<Oddity> {
  const name = Object.keys(sample.command)[0] as string;
  if (seen.has(name)) return;
  seen.add(name);
  const { fields, refused = {} } = COMMANDS.get(name) as Command;
  for (const field of Object.keys({ ...fields, ...refused })) {
    if (Object.hasOwn(sample.command, field)) continue;
    for (const value of VALUES) yield withValue(sample, [field], value);
  }
  const [at, inner] = INNER[name] ?? [[], []];
  for (const field of inner) for (const value of VALUES) yield withValue(sample, [...at, field], value);
}

function* placesIn(value: unknown, path: string[] = []): Generator<string[]> {
  if (value === null || typeof value !== 'object' || value instanceof Date) return;
  for (const [name, inner] of Object.entries(value)) {
    yield [...path, name];
    yield* placesIn(inner, [...path, name]);
  }
}

function withValue(sample: Sample, path: string[], value: unknown): Oddity {
  const command = structuredClone(sample.command);
  let at: Doc = command;
  for (const name of path.slice(0, -1)) at = at[name] as Doc;
  const last = path.at(-1) as string;
  if (value !== undefined) at[last] = structuredClone(value);
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  const [name] = Object.keys(sample.command);
  const how = value === undefined ? 'missing' : Number.isNaN(value) ? 'NaN' : JSON.stringify(value);
  return { ...sample, command, text: `${name}: ${path.join('.')} ${how}` };
}
