/** Random operations: commands as the wire carries them. */
import type { Random } from '../random.ts';
import { randomFilter } from './filters.ts';
import { randomPipeline, randomProjection } from './pipelines.ts';
import { arrayFiltersFor, randomUpdate } from './updates.ts';
import { type Doc, int, randomDocument, randomPath, randomValue } from './values.ts';

/** One command, with what has to be known to compare its answers. */
export interface Operation {
  command: Doc;
  /** Whether MongoDB promises the order of what comes back. */
  isOrdered?: boolean;
  /** Whether it changes documents, so that these are compared afterwards. */
  isWrite?: boolean;
}

/** The collection that every operation works on. */
export const COLLECTION = 'things';
const IDS = 24;

const randomId = (random: Random) => int(random.int(IDS));

function insert(random: Random): Operation {
  const documents = Array.from({ length: 1 + random.int(4) }, () => ({
    _id: random.chance(0.9) ? randomId(random) : randomValue(random, 1),
    ...randomDocument(random),
  }));
  return { command: { insert: COLLECTION, documents, ordered: random.chance(0.5) }, isWrite: true };
}

/** By `_id` at last, so that the order is total; and never by two arrays, which is an error of its own. */
function sortSpec(random: Random): Doc {
  const sort: Doc = {};
  const direction = () => int(random.pick([1, -1]));
  if (random.chance(0.3)) sort[random.pick(['n', 't'])] = direction();
  if (random.chance(0.7)) sort[randomPath(random)] = direction();
  if (random.chance(0.2)) sort.s = direction();
  return { ...sort, _id: int(1) };
}

function find(random: Random): Operation {
  const command: Doc = { find: COLLECTION, filter: randomFilter(random, 2), batchSize: int(1000) };
  const isOrdered = random.chance(0.6);
  if (isOrdered) {
    command.sort = sortSpec(random);
    if (random.chance(0.3)) command.skip = int(random.int(5));
    if (random.chance(0.3)) command.limit = int(1 + random.int(5));
  }
  if (random.chance(0.5)) command.projection = randomProjection(random);
  return { command, isOrdered };
}

function update(random: Random): Operation {
  const isMulti = random.chance(0.4);
  const u = randomUpdate(random, !isMulti);
  // Which one of several documents an update takes is MongoDB's choice, so a single one is named.
  const q: Doc = isMulti ? randomFilter(random, 1) : { _id: randomId(random) };
  if (!isMulti && random.chance(0.5)) q[random.pick(['a', 'a.b', 'b'])] = { $exists: true };
  const one: Doc = { q, u };
  if (isMulti) one.multi = true;
  const arrayFilters = arrayFiltersFor(random, u);
  if (arrayFilters !== undefined) one.arrayFilters = arrayFilters;
  if (!isMulti && random.chance(0.4)) one.upsert = true;
  return { command: { update: COLLECTION, updates: [one] }, isWrite: true };
}

function findAndModify(random: Random): Operation {
  const command: Doc = { findAndModify: COLLECTION };
  if (random.chance(0.5)) {
    command.query = { _id: randomId(random) };
    if (random.chance(0.4)) command.upsert = true;
  } else {
    command.query = randomFilter(random, 1);
    command.sort = sortSpec(random);
  }
  if (random.chance(0.15)) {
    command.remove = true;
    delete command.upsert;
  } else {
    const change = randomUpdate(random, true);
    command.update = change;
    const arrayFilters = arrayFiltersFor(random, change);
    if (arrayFilters !== undefined) command.arrayFilters = arrayFilters;
    if (random.chance(0.5)) command.new = true;
  }
  if (random.chance(0.2)) {
    const { 'a.$': _, ...fields } = randomProjection(random);
    command.fields = fields;
  }
  return { command, isOrdered: true, isWrite: true };
}

function remove(random: Random): Operation {
  const isOne = random.chance(0.7);
  const q = isOne ? { _id: randomId(random) } : { ...randomFilter(random, 1), _id: { $lt: int(6) } };
  return { command: { delete: COLLECTION, deletes: [{ q, limit: int(isOne ? 1 : 0) }] }, isWrite: true };
}

function count(random: Random): Operation {
  const command: Doc = { count: COLLECTION, query: random.chance(0.8) ? randomFilter(random, 2) : {} };
  if (random.chance(0.3)) command.skip = int(random.int(4));
  if (random.chance(0.3)) command.limit = int(1 + random.int(4));
  if (random.chance(0.2)) command.hint = random.pick(HINTS);
  return { command };
}

/** Names and keys of indexes that are there, or not. */
const HINTS: readonly unknown[] = ['_id_', 'none', 'n', { _id: int(1) }, { n: int(1) }, { none: int(1) }];

function distinct(random: Random): Operation {
  const query = random.chance(0.5) ? randomFilter(random, 1) : {};
  return { command: { distinct: COLLECTION, key: randomPath(random), query } };
}

function aggregate(random: Random): Operation {
  const { pipeline, isOrdered } = randomPipeline(random);
  return { command: { aggregate: COLLECTION, pipeline, cursor: { batchSize: int(1000) } }, isOrdered };
}

function createIndex(random: Random): Operation {
  const key: Doc = {};
  for (let left = 1 + random.int(2); left > 0; left--) {
    key[randomPath(random)] = int(random.pick([1, -1]));
  }
  const index: Doc = { key, name: Object.keys(key).join('_') };
  if (random.chance(0.15)) index.unique = true;
  const kind = random.int(10);
  if (kind < 2) index.sparse = true;
  if (kind === 2) index.partialFilterExpression = { n: { $gt: int(0) } };
  // A name of its own now and then: of one key there may be several indexes with other options.
  if (random.chance(0.3)) index.name = `${index.name}_${index.unique ? 'u' : ''}${kind < 2 ? 's' : ''}`;
  return { command: { createIndexes: COLLECTION, indexes: [index] } };
}

function listIndexes(): Operation {
  return { command: { listIndexes: COLLECTION, cursor: {} } };
}

const MAKERS: [number, (random: Random) => Operation][] = [
  [26, find],
  [24, update],
  [10, findAndModify],
  [10, aggregate],
  [8, insert],
  [5, remove],
  [6, count],
  [4, distinct],
  [2, createIndex],
  [1, listIndexes],
];

/** One random operation, reading and writing about as often as each other. */
export function randomOperation(random: Random): Operation {
  let choice = random.int(MAKERS.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of MAKERS) {
    if (choice < weight) return make(random);
    choice -= weight;
  }
  return find(random);
}

/** The documents that a list of operations begins with. */
export function firstInsert(random: Random): Operation {
  const documents = Array.from({ length: IDS - 6 }, (_, i) => ({ _id: int(i), ...randomDocument(random) }));
  return { command: { insert: COLLECTION, documents, ordered: false }, isWrite: true };
}
