/** Random filters. */
import { BSONRegExp } from 'bson';
import type { Random } from '../random.ts';
import { type Doc, int, randomPath, randomValue } from './values.ts';

const TYPES = [
  'number',
  'string',
  'array',
  'object',
  'null',
  'int',
  'double',
  'long',
  'decimal',
  'bool',
  'date',
  'regex',
  'minKey',
  'symbol',
  'javascript',
  'binData',
  'objectId',
  'timestamp',
  ['null', 'int'],
  int(4),
];

const values = (random: Random, depth: number) =>
  Array.from({ length: random.int(3) }, () => randomValue(random, depth));

const OPERANDS: Record<string, (random: Random, depth: number) => unknown> = {
  $eq: (random) => randomValue(random, 2),
  $ne: (random) => randomValue(random, 2),
  $gt: (random) => randomValue(random, 1),
  $gte: (random) => randomValue(random, 1),
  $lt: (random) => randomValue(random, 1),
  $lte: (random) => randomValue(random, 1),
  $in: (random) => values(random, 1),
  $nin: (random) => values(random, 1),
  $exists: (random) => random.pick([true, false, int(0), int(1), null]),
  $type: (random) => random.pick(TYPES),
  $regex: (random) => random.pick(['a', '^a', 'b$', '^a.b', '[^a]', new BSONRegExp('^A', 'i')]),
  $not: (random, depth) =>
    depth > 0 && random.chance(0.8) ? randomOperators(random, depth - 1) : new BSONRegExp('a', ''),
  $elemMatch: (random, depth) =>
    random.chance(0.5) && depth > 0 ? randomOperators(random, depth - 1) : randomFilter(random, 0),
  $all: (random) => (random.chance(0.3) ? [{ $elemMatch: { $gt: int(1) } }] : values(random, 1)),
  $size: (random) => int(random.int(3)),
  $mod: (random) => [int(2), int(random.int(2))],
};

function randomOperators(random: Random, depth: number): Doc {
  const operators: Doc = {};
  for (let left = random.chance(0.75) ? 1 : 2; left > 0; left--) {
    const name = random.pick(Object.keys(OPERANDS));
    operators[name] = OPERANDS[name]?.(random, depth);
  }
  return operators;
}

/** A filter of one or two conditions, with up to `depth` levels of `$and`, `$or` and `$nor`. */
export function randomFilter(random: Random, depth: number): Doc {
  const filter: Doc = {};
  for (let left = random.chance(0.75) ? 1 : 2; left > 0; left--) {
    if (depth > 0 && random.chance(0.15)) {
      const clauses = Array.from({ length: 1 + random.int(2) }, () => randomFilter(random, depth - 1));
      filter[random.pick(['$and', '$or', '$nor'])] = clauses;
    } else {
      const value = random.chance(0.35) ? randomValue(random, 2) : randomOperators(random, depth);
      filter[randomPath(random)] = value;
    }
  }
  return filter;
}
