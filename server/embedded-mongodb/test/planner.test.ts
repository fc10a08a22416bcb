/**
 * Whatever index a query goes by, it gives what reading everything gives. Random documents, indexes, filters and
 * sorts, each query once planned and once by COLLSCAN. PLANNER_SEED repeats a run, PLANNER_ROUNDS lengthens it.
 */
import { Decimal128, Double, EJSON, Int32, Long, ObjectId } from 'bson';
import { afterAll, expect, test } from 'vitest';
import { type Doc, decode, encode } from '../src/bson/document.ts';
import { readIndexRequest } from '../src/command/index-request.ts';
import { prepareInsert } from '../src/command/insert.ts';
import { MongoError } from '../src/errors/mongo-error.ts';
import { explainPlan } from '../src/planner/explain.ts';
import { countMatches } from '../src/query/count.ts';
import { Engine } from '../src/query/engine.ts';
import { beginBuild } from '../src/query/index-build.ts';
import { allMatches, planQuery, type Query, queryFor } from '../src/query/query.ts';
import type { Collection } from '../src/storage/collection.ts';
import { validateCollection } from '../src/storage/validate.ts';
import { temporaryFolder } from './bin-process.ts';
import { type Random, seededRandom } from './random.ts';

const SEED = Number(process.env.PLANNER_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.PLANNER_ROUNDS ?? 8);
const QUERIES = 250;

const PATHS = ['a', 'b', 'c', 'd.x', 'd.y', '_id'];

const folder = temporaryFolder();
afterAll(() => folder.remove());

function value(random: Random): unknown {
  const n = random.int(5);
  return random.pick([
    () => n,
    () => n,
    () => new Double(n + 0.5),
    () => Long.fromNumber(n),
    () => Decimal128.fromString(`${n}.0`),
    () => new Double(random.pick([Number.NaN, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])),
    () => random.pick(['a', 'ab', 'abc', 'b', '', 'a\0', 'B']),
    () => random.pick(['a', 'ab', 'abc', 'b', '', 'a\0', 'B']),
    () => null,
    () => random.pick([true, false]),
    () => new Date(n * 1000),
    () => new ObjectId(`00000000000000000000000${n}`),
    () => ({ x: random.int(3), y: random.int(3) }),
  ])();
}

function fieldValue(random: Random): unknown {
  const kind = random.int(10);
  if (kind < 7) return value(random);
  if (kind < 9) return Array.from({ length: random.int(4) }, () => value(random));
  return [[value(random)], value(random)];
}

function document(random: Random, id: number, plain: boolean): Doc {
  const doc: Doc = { _id: random.chance(0.8) ? new Int32(id) : `id${id}` };
  for (const name of ['a', 'b', 'c']) {
    if (random.chance(0.85))
      doc[name] = plain ? value(random) : name === 'c' ? fieldValue(random) : value(random);
  }
  if (random.chance(0.8)) {
    const inner = () => ({ x: value(random), ...(random.chance(0.7) ? { y: value(random) } : {}) });
    doc.d = plain || random.chance(0.6) ? inner() : Array.from({ length: random.int(3) }, inner);
  }
  return doc;
}

function index(random: Random, number: number): Doc {
  const picked = random.shuffle(PATHS).slice(0, 1 + random.int(3));
  // An index on the _id alone is there already, and MongoDB takes no other one.
  const fields = picked.join() === '_id' ? ['a'] : picked;
  const key = Object.fromEntries(fields.map((path) => [path, random.pick([1, -1])]));
  const options = random.pick([
    {},
    {},
    { sparse: true },
    {
      partialFilterExpression: random.pick([
        { a: { $exists: true } },
        { b: { $gt: 1 } },
        { a: 2 },
        { a: { $gte: 'a' } },
      ]),
    },
  ]);
  return { key, name: `i${number}`, ...options };
}

function condition(random: Random): unknown {
  return random.pick([
    () => value(random),
    () => value(random),
    () => fieldValue(random),
    () => ({ $eq: value(random) }),
    () => ({ $gt: value(random) }),
    () => ({ $gte: value(random), $lt: value(random) }),
    () => ({ $lte: value(random) }),
    () => ({ $in: Array.from({ length: random.int(4) }, () => value(random)) }),
    () => ({ $nin: [value(random)] }),
    () => ({ $ne: value(random) }),
    () => ({ $exists: random.chance(0.6) }),
    () => ({ $regex: random.pick(['^a', '^ab', 'b', '^a.*', '^ab?', '^$']) }),
    () => ({ $not: { $gt: value(random) } }),
    () => ({ $elemMatch: { $gt: value(random), $lt: value(random) } }),
    () => ({ $type: 'number' }),
  ])();
}

function filter(random: Random, depth = 0): Doc {
  const paths = random.shuffle(PATHS).slice(0, random.int(4));
  const found: Doc = Object.fromEntries(paths.map((path) => [path, condition(random)]));
  if (depth < 2 && random.chance(0.25)) {
    found.$or = Array.from({ length: 1 + random.int(3) }, () => filter(random, depth + 1));
  }
  if (depth < 2 && random.chance(0.1)) found.$and = [filter(random, depth + 1), filter(random, depth + 1)];
  return found;
}

function run(engine: Engine, collection: Collection, query: Query): { ids: string[]; plan: Doc } {
  const plan = planQuery(engine, collection, query);
  plan.memory.release();
  const ids = allMatches(engine, collection, query).map(({ raw }) => String(decode(raw)._id));
  engine.environment.pauseScans();
  return { ids, plan: explainPlan(plan, query) };
}

test(`planned queries answer as a collection scan does (PLANNER_SEED=${SEED})`, {
  timeout: ROUNDS * 10_000,
}, async () => {
  const random = seededRandom(SEED);
  const engine = new Engine(folder.path);
  const stages = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const name = `c${round}`;
    const plain = round % 3 === 0;
    await engine.environment.write(() => {
      const collection = engine.catalog.ensure('test', name);
      for (let i = 0; i < 4; i++) {
        const spec = decode(encode(index(random, i)));
        beginBuild(engine, collection, [readIndexRequest(spec)]);
      }
      for (let id = 0; id < 120; id++) {
        const { doc, raw } = prepareInsert(encode(document(random, id, plain)));
        try {
          engine.writer.insert(collection, doc, raw);
        } catch (error) {
          if (!(error instanceof MongoError) || error.code !== 171) throw error;
        }
      }
    });
    const collection = engine.catalog.get(`test.${name}`) as Collection;
    expect(validateCollection(engine.environment, collection).errors).toEqual([]);
    for (let i = 0; i < QUERIES; i++) {
      const sort = random.chance(0.5)
        ? Object.fromEntries(
            random
              .shuffle(PATHS.slice(0, 5))
              .slice(0, 1 + random.int(2))
              .map((p) => [p, random.pick([1, -1])]),
          )
        : undefined;
      const query = queryFor(decode(encode(filter(random))), {
        sort: sort && { ...sort, _id: random.pick([1, -1]) },
        skip: random.chance(0.2) ? random.int(5) : 0,
        limit: random.chance(0.3) ? 1 + random.int(10) : 0,
      });
      if (!sort) Object.assign(query, { skip: 0, limit: 0 });
      let planned: ReturnType<typeof run>;
      let scanned: ReturnType<typeof run>;
      try {
        planned = run(engine, collection, query);
        scanned = run(engine, collection, { ...query, hint: { $natural: 1 } });
      } catch (error) {
        // Sorting by two arrays at once is refused, by the scan where an index need not compare them, too.
        if (error instanceof MongoError && error.code === 2) continue;
        throw error;
      }
      const order = (ids: string[]) => (sort ? ids : [...ids].sort());
      const [actual, expected] = [order(planned.ids), order(scanned.ids)];
      if (actual.join() !== expected.join()) {
        const told = EJSON.stringify(
          { round, query, plan: planned.plan, actual, expected },
          { relaxed: true },
        );
        throw new Error(`PLANNER_SEED=${SEED}: ${told}`);
      }
      expect(await countMatches(engine, collection, query, { isGone: false })).toBe(expected.length);
      const shown = JSON.stringify(planned.plan);
      for (const stage of shown.match(/"(IXSCAN|COLLSCAN|SORT_MERGE|OR|SORT)"/g) ?? []) {
        stages.set(stage, (stages.get(stage) ?? 0) + 1);
      }
    }
  }
  await engine.close();
  // The test is worth nothing if everything is scanned.
  expect(stages.get('"IXSCAN"') ?? 0).toBeGreaterThan(QUERIES);
});
