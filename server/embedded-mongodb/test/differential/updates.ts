/** Random updates. */
import { BSONRegExp } from 'bson';
import type { Random } from '../random.ts';
import { type Doc, int, randomDocument, randomNumber, randomPath, randomValue } from './values.ts';

const UPDATE_PATHS = [
  'a.$',
  'a.$.b',
  'a.$[]',
  'a.$[].b',
  'a.$[e]',
  'a.$[e].b',
  'b.$[]',
  'c.d',
  'd',
  'e.f',
  'b10',
  'b9',
  'a.b.$[]',
  'a.5',
  'd.0',
  'B',
  'a.b.d',
];

function updatePath(random: Random): string {
  return random.chance(0.6) ? randomPath(random) : random.pick(UPDATE_PATHS);
}

const values = (random: Random) => Array.from({ length: random.int(3) }, () => randomValue(random, 1));

function pushed(random: Random): unknown {
  if (random.chance(0.4)) return randomValue(random, 1);
  const clauses: Doc = { $each: values(random) };
  if (random.chance(0.4)) clauses.$position = int(random.int(5) - 2);
  if (random.chance(0.4)) {
    clauses.$sort = random.pick([int(1), int(-1), { a: int(1) }, { b: int(-1), a: int(1) }]);
  }
  if (random.chance(0.4)) clauses.$slice = int(random.int(6) - 3);
  return clauses;
}

function pulled(random: Random): unknown {
  const condition = random.pick([
    (): unknown => randomValue(random, 1),
    () => ({ $gte: int(1) }),
    () => ({ $in: values(random) }),
    () => ({ a: randomValue(random, 0) }),
    () => ({ b: { $exists: true } }),
    () => new BSONRegExp('a', ''),
  ]);
  return condition();
}

const OPERANDS: Record<string, (random: Random) => unknown> = {
  $set: (random) => randomValue(random, 2),
  $setOnInsert: (random) => randomValue(random, 2),
  $unset: () => true,
  $inc: (random) => (random.chance(0.95) ? randomNumber(random) : randomValue(random, 1)),
  $mul: (random) => (random.chance(0.95) ? randomNumber(random) : randomValue(random, 1)),
  $min: (random) => randomValue(random, 1),
  $max: (random) => randomValue(random, 1),
  $rename: (random) => updatePath(random),
  $push: pushed,
  $addToSet: (random) => (random.chance(0.5) ? randomValue(random, 1) : { $each: values(random) }),
  $pull: pulled,
  $pullAll: values,
  $pop: (random) => int(random.pick([1, -1])),
};

/** An update by operators, or now and then a replacement. */
export function randomUpdate(random: Random, mayReplace: boolean): Doc {
  if (mayReplace && random.chance(0.1)) return randomDocument(random);
  const update: Doc = {};
  for (let left = random.chance(0.7) ? 1 : 2; left > 0; left--) {
    const name = random.pick(['$set', '$push', '$inc', '$unset', ...Object.keys(OPERANDS)]);
    const fields = (update[name] ?? {}) as Doc;
    // Arithmetic that mostly fails would say little.
    const path = () => (/inc|mul/.test(name) && random.chance(0.5) ? 'n' : updatePath(random));
    for (let more = 1 + random.int(2); more > 0; more--) fields[path()] = OPERANDS[name]?.(random);
    update[name] = fields;
  }
  return update;
}

/** The array filters that an update's paths ask for. */
export function arrayFiltersFor(random: Random, update: Doc): Doc[] | undefined {
  if (!JSON.stringify(update).includes('$[e]')) return undefined;
  return [random.pick([{ e: { $gte: int(1) } }, { 'e.b': { $exists: true } }, { 'e.a': int(1) }])];
}
