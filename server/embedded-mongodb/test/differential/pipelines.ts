/** Random projections, expressions and pipelines. */
import { Double } from 'bson';
import type { Random } from '../random.ts';
import { type Doc, int, randomPath, randomValue } from './values.ts';

const COMPARISONS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$cmp'];
const ZONES = ['+03:30', '-0500', 'UTC', 'GMT', '+02'];
const FORMATS = ['%Y-%m-%d', '%H:%M:%S.%L', '%j %w %u %U %V %G', '%z %Z %%', '%b %B'];

function dateToString(random: Random): Doc {
  const operand: Doc = { date: '$t' };
  if (random.chance(0.7)) operand.format = random.pick(FORMATS);
  if (random.chance(0.3)) operand.timezone = random.pick(ZONES);
  if (random.chance(0.3)) operand.onNull = 'none';
  return { $dateToString: operand };
}

/** An expression at most `depth` operators deep. */
export function randomExpression(random: Random, depth: number): unknown {
  const inner = () => randomExpression(random, depth - 1);
  if (depth === 0 || random.chance(0.4)) {
    return random.chance(0.7) ? `$${randomPath(random)}` : randomValue(random, 1);
  }
  const make = random.pick([
    (): unknown => ({ $cond: [inner(), inner(), inner()] }),
    // biome-ignore lint/suspicious/noThenProperty: the name is MongoDB's
    () => ({ $cond: { if: inner(), then: inner(), else: inner() } }),
    () => ({ $ifNull: [inner(), inner()] }),
    () => ({ [random.pick(COMPARISONS)]: [inner(), inner()] }),
    () => ({ $toDouble: `$${randomPath(random)}` }),
    () => ({ $multiply: [{ $toDouble: '$n' }, { $toDouble: `$${randomPath(random)}` }] }),
    () => ({ $divide: [{ $toDouble: '$n' }, { $toDouble: '$b' }] }),
    () => ({ $objectToArray: `$${randomPath(random)}` }),
    () => ({ x: inner(), y: inner() }),
    () => [inner(), inner()],
    () => ({ $literal: randomValue(random, 1) }),
    () => '$$ROOT',
    () => dateToString(random),
  ]);
  return make();
}

/** A projection as `find` takes it. */
export function randomProjection(random: Random): Doc {
  const includes = random.chance(0.55);
  const projection: Doc = {};
  if (random.chance(0.3)) projection._id = int(random.int(2));
  for (let left = 1 + random.int(2); left > 0; left--) {
    const isPlain = random.chance(0.7);
    const path = random.pick([randomPath(random), 'x', 'x.y', 'a.c']);
    const flag = random.chance(0.95) === includes ? random.pick([int(1), true, new Double(0.5)]) : int(0);
    projection[path] = isPlain ? flag : special(random);
  }
  if (random.chance(0.08)) projection['a.$'] = int(1);
  return projection;
}

function special(random: Random): unknown {
  const slice = random.pick([int(1), int(-1), [int(1), int(1)], [int(-2), int(1)], int(0)]);
  const element = random.pick([{ a: { $exists: true } }, { $gte: int(1) }, { b: int(1) }]);
  return random.pick([
    { $slice: slice },
    { $elemMatch: element },
    randomExpression(random, 1),
    { a: int(1) },
  ]);
}

function accumulator(random: Random): Doc {
  return random.pick<Doc>([
    { $sum: '$n' },
    { $sum: int(1) },
    { $avg: '$n' },
    { $min: `$${randomPath(random)}` },
    { $max: `$${randomPath(random)}` },
    { $first: '$a' },
    { $last: '$b' },
    { $push: '$a' },
    { $push: { a: '$a', n: '$n' } },
    { $count: {} },
  ]);
}

function stage(random: Random): Doc {
  const makers: (() => Doc)[] = [
    () => ({ $match: { [randomPath(random)]: randomValue(random, 1) } }),
    () => ({ $match: { [randomPath(random)]: { $exists: true } } }),
    () => ({ $sort: { [randomPath(random)]: int(random.pick([1, -1])), _id: int(1) } }),
    () => ({ $limit: int(1 + random.int(8)) }),
    () => ({ $skip: int(random.int(3)) }),
    () => ({ $project: { [random.pick(['a', 'b', 'x', 'a.b'])]: randomExpression(random, 2), c: int(1) } }),
    () => ({ $project: { [randomPath(random)]: int(0) } }),
    () => ({ $set: { [random.pick(['a', 'x', 'a.b', 'b.0', 'x.y', 'c'])]: randomExpression(random, 2) } }),
    () => ({ $unset: random.pick([randomPath(random), ['b', 'n']]) }),
    () => ({ $count: 'k' }),
    () => ({ $unwind: random.pick(['$a', '$b', '$a.b']) }),
    () => ({ $unwind: { path: '$a', preserveNullAndEmptyArrays: true } }),
    () => ({ $unwind: { path: '$b', includeArrayIndex: 'i' } }),
  ];
  return random.pick(makers)();
}

function groups(random: Random): Doc[] {
  if (random.chance(0.2)) {
    const set = { $group: { _id: null, f: { $addToSet: `$${randomPath(random)}` } } };
    return [{ $sort: { _id: int(1) } }, set, { $unwind: '$f' }, { $group: { _id: '$f' } }];
  }
  const id = random.pick<unknown>([
    '$a',
    '$b',
    '$s',
    null,
    { a: '$a' },
    { a: '$a', b: '$b' },
    { $dateToString: { date: '$t', format: '%Y-%m' } },
    randomExpression(random, 1),
  ]);
  return [
    { $sort: { _id: int(1) } },
    { $group: { _id: id, f: accumulator(random), g: accumulator(random) } },
  ];
}

/** A pipeline; `isOrdered` is false when MongoDB promises no order of its results. */
export function randomPipeline(random: Random): { pipeline: Doc[]; isOrdered: boolean } {
  if (random.chance(0.4)) return { pipeline: groups(random), isOrdered: false };
  const stages = Array.from({ length: 1 + random.int(3) }, () => stage(random));
  return { pipeline: [{ $sort: { _id: int(1) } }, ...withTotalOrder(stages)], isOrdered: true };
}

/** Behind `$unwind` an `_id` occurs several times, so that no sort by it is total. */
function withTotalOrder(stages: Doc[]): Doc[] {
  let isUnwound = false;
  return stages.flatMap((one) => {
    if (Object.hasOwn(one, '$unwind')) isUnwound = true;
    if (isUnwound && Object.hasOwn(one, '$sort')) return [];
    return [one];
  });
}
