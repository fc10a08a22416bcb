/** How much is done without a pause: counted by a clock that goes on by a millisecond whenever it is looked at. */
import { Int32 } from 'bson';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { compilePipeline } from '../src/aggregation/pipeline.ts';
import type { Doc } from '../src/bson/document.ts';
import { encode } from '../src/bson/document.ts';
import { readIndexRequest } from '../src/command/index-request.ts';
import { prepareInsert } from '../src/command/insert.ts';
import { Memory } from '../src/limits/memory.ts';
import { Pace } from '../src/limits/pace.ts';
import { compileMatch } from '../src/matcher/matcher.ts';
import { Engine } from '../src/query/engine.ts';
import { beginBuild } from '../src/query/index-build.ts';
import { matchesOf, planQuery, type Query, queryFor } from '../src/query/query.ts';
import { sortInTurns } from '../src/sort/sort-in-turns.ts';
import { Sorter } from '../src/sort/sorter.ts';
import type { Collection } from '../src/storage/collection.ts';
import { compileUpdate } from '../src/update/update.ts';
import { temporaryFolder } from './bin-process.ts';
import { seededRandom } from './random.ts';

/** The clock is looked at once in 64 steps, and a time slice is 10 ms. */
const STEPS_WITHOUT_PAUSE = 64 * 12;

const folder = temporaryFolder();
const engine = new Engine(folder.path);
const random = seededRandom(1);

beforeEach(() => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => ++now);
  return () => vi.restoreAllMocks();
});

afterAll(async () => {
  await engine.close();
  folder.remove();
});

const numbers = (count: number) => Array.from({ length: count }, (_, n) => new Int32(n));

/** A number that counts how often it is read. */
function watched(value: number): { number: Int32; reads(): number } {
  const number = new Int32(value);
  let reads = 0;
  const read = () => {
    reads++;
    return value;
  };
  Object.defineProperty(number, 'value', { get: read });
  return { number, reads: () => reads };
}

async function filled(name: string, documents: readonly Doc[], index?: Doc): Promise<Collection> {
  await engine.environment.write(() => {
    const collection = engine.catalog.ensure('test', name);
    if (index) beginBuild(engine, collection, [readIndexRequest({ key: index, name: 'index' })]);
    for (const one of documents) {
      const { doc, raw } = prepareInsert(encode(one));
      engine.writer.insert(collection, doc, raw);
    }
  });
  return engine.catalog.get(`test.${name}`) as Collection;
}

/** How often a query pauses, and how many documents it finds. */
function run(collection: Collection, query: Query): { pauses: number; found: number } {
  const counts = { pauses: 0, found: 0 };
  for (const match of matchesOf(engine, planQuery(engine, collection, query), query)) {
    if (match) counts.found++;
    else counts.pauses++;
  }
  engine.environment.pauseScans();
  return counts;
}

test('sorting pauses, and gives what Array.sort gives', () => {
  for (const count of [0, 1, 63, 64, 65, 1_000, 5_000]) {
    const items = Array.from({ length: count }, (_, place) => ({ key: random.int(count / 2 + 1), place }));
    let comparisons = 0;
    const compare = (a: { key: number }, b: { key: number }) => {
      comparisons++;
      return a.key - b.key;
    };
    const steps = sortInTurns(items, compare, new Pace());
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      // The clock is looked at after each 256, which take at most some 8 comparisons each.
      expect(comparisons).toBeLessThan(12 * 256 * 8);
      comparisons = 0;
    }
    expect(step.value).toEqual([...items].sort(compare));
  }
});

test('the first of many in an order are those that sorting all gives, equal ones as they came', () => {
  const items = Array.from({ length: 5_000 }, (_, place) => ({ key: random.int(900), place, bytes: 1 }));
  const compare = (a: (typeof items)[number], b: (typeof items)[number]) => a.key - b.key;
  for (const wanted of [1, 7, 1_500, 5_000, Number.POSITIVE_INFINITY]) {
    const memory = new Memory().begin('Sort');
    const add = vi.spyOn(memory, 'add');
    const sorter = new Sorter(compare, wanted, new Pace(), memory);
    for (const item of items) for (const _pause of sorter.add(item));
    const steps = sorter.inOrder();
    let step = steps.next();
    while (!step.done) step = steps.next();
    expect(step.value.slice(0, wanted)).toEqual([...items].sort(compare).slice(0, wanted));
    const held = add.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
    expect(held).toBe(step.value.length);
    expect(held).toBeLessThanOrEqual(Math.min(2 * wanted + 1_000, items.length));
  }
});

test.each<[string, Doc[], Doc[]]>([
  ['$sort', [{ $sort: { n: -1 } }], numbers(5_000).map((n) => ({ n }))],
  ['$group', [{ $group: { _id: '$n' } }, { $match: { _id: -1 } }], numbers(5_000).map((n) => ({ n }))],
  ['$unwind', [{ $unwind: '$n' }, { $match: { n: -1 } }], [{ n: numbers(5_000) }]],
])('%s pauses on its own', (_what, stages, documents) => {
  const run = compilePipeline(stages, { now: new Date(0), memory: new Memory() });
  const [first] = run(documents);
  expect(first).toBeUndefined();
  expect([...run(documents)].filter((one) => one === undefined).length).toBeGreaterThan(
    5_000 / STEPS_WITHOUT_PAUSE,
  );
});

test('a sort of many documents found pauses more often than finding them', async () => {
  const collection = await filled(
    'sorted',
    numbers(5_000).map((_id) => ({ _id, n: new Int32(random.int(5_000)) })),
  );
  const unsorted = run(collection, queryFor({}));
  const sorted = run(collection, queryFor({}, { sort: { n: new Int32(1) } }));
  expect(sorted.found).toBe(5_000);
  expect(sorted.pauses).toBeGreaterThan(3 * unsorted.pauses);
});

test('looking for what is not there pauses, and so does what has come up already', async () => {
  const collection = await filled(
    'searched',
    numbers(10).map((_id) => ({ _id, n: numbers(500) })),
    { n: new Int32(1) },
  );
  const absent = numbers(5_000).map(({ value }) => new Int32(value + 1_000));
  for (const filter of [{ _id: { $in: absent } }, { n: { $in: absent } }]) {
    const { pauses, found } = run(collection, queryFor(filter));
    expect(found).toBe(0);
    expect(pauses).toBeGreaterThan(5_000 / STEPS_WITHOUT_PAUSE - 1);
  }
  const { pauses, found } = run(collection, queryFor({ n: { $gte: new Int32(0) } }));
  expect(found).toBe(10);
  expect(pauses).toBeGreaterThan(5_000 / STEPS_WITHOUT_PAUSE - 1);
});

test('a value is looked up in a long list, and not compared with each of it', () => {
  const list = watched(1_000_000);
  const listed = [...numbers(1_000), list.number];
  const matches = compileMatch({ n: { $in: listed } });
  matches({ n: new Int32(-1) });
  const ready = list.reads();
  for (let n = 2_000; n < 2_100; n++) expect(matches({ n: new Int32(n) })).toBeUndefined();
  expect(matches({ n: new Int32(1_000_000) })).toBeDefined();
  expect(list.reads()).toBe(ready);

  const stored = watched(1_000_000);
  for (const change of [
    { $addToSet: { n: { $each: numbers(1_000) } } },
    { $pullAll: { n: numbers(1_000) } },
  ]) {
    const before = stored.reads();
    compileUpdate(change, {}).apply({ n: [stored.number] }, undefined, { isInsert: false, now: new Date(0) });
    expect(stored.reads() - before).toBeLessThan(10);
  }
});
