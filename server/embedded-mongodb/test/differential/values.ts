/** Random BSON values, chosen so that they meet: few names, few numbers, and every type beside its neighbours. */
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import type { Random } from '../random.ts';

export type Doc = Record<string, unknown>;

export const int = (value: number): Int32 => new Int32(value);

const SCALARS: readonly unknown[] = [
  int(1),
  int(0),
  new Double(1.5),
  new Double(Number.NaN),
  new Double(-0),
  new Double(9007199254740992),
  new Double(Number.POSITIVE_INFINITY),
  Long.fromNumber(1),
  Long.fromString('9007199254740993'),
  Decimal128.fromString('1.50'),
  Decimal128.fromString('NaN'),
  Decimal128.fromString('-Infinity'),
  Decimal128.fromString('9007199254740993'),
  'a',
  'ab',
  '',
  'A',
  'é',
  '😀',
  '\ufb01',
  null,
  null,
  true,
  false,
  new Date(0),
  new Date(-5),
  new ObjectId('000000000000000000000001'),
  new Binary(Buffer.from('a')),
  new Binary(Buffer.from('b'), 3),
  new BSONRegExp('a', 'i'),
  new BSONRegExp('a', ''),
  new Timestamp({ t: 1, i: 2 }),
  new MinKey(),
  new MaxKey(),
  new Code('x'),
  new Code('x', { a: 1 }),
  new BSONSymbol('a'),
];

const NUMBERS: readonly unknown[] = [
  int(1),
  int(2147483647),
  int(-3),
  int(0),
  new Double(0.5),
  new Double(0.1),
  new Double(-5),
  new Double(1e17),
  new Double(-0),
  Long.fromString('9223372036854775807'),
  Long.fromNumber(2),
  Decimal128.fromString('0.10'),
  Decimal128.fromString('1E+40'),
];

/** A number that arithmetic may run over or lose digits of. */
export function randomNumber(random: Random): unknown {
  return random.pick(NUMBERS);
}

/** Any value, at most `depth` levels deep. */
export function randomValue(random: Random, depth: number): unknown {
  if (depth > 0 && random.chance(0.25)) {
    return Array.from({ length: random.int(4) }, () => randomValue(random, depth - 1));
  }
  if (depth > 0 && random.chance(0.35)) return randomFields(random, ['a', 'b', 'c'], depth - 1, 0.5);
  return random.chance(0.5) ? int(random.int(4)) : random.pick(SCALARS);
}

function randomFields(random: Random, names: string[], depth: number, probability: number): Doc {
  const doc: Doc = {};
  for (const name of names) if (random.chance(probability)) doc[name] = randomValue(random, depth);
  return doc;
}

/** A document without `_id`: mixed fields, and some that expressions can calculate with. */
export function randomDocument(random: Random): Doc {
  const doc = randomFields(random, ['a', 'b', 'c'], 3, 0.7);
  if (random.chance(0.7)) doc.n = randomNumber(random);
  if (random.chance(0.7)) doc.s = random.pick(['Aé', 'b', '', 'ÀB c', 'a\nb']);
  if (random.chance(0.7)) {
    doc.t = random.pick([new Date(random.int(2_000_000) * 1_000_003), new Date(951782400000), null]);
  }
  return doc;
}

const PATHS = [
  'a',
  'b',
  'c',
  'a.b',
  'a.0',
  'a.b.c',
  'a.0.b',
  'b.a',
  'b.1',
  'a.b.0',
  'c.a.b',
  'a.0.0',
  'n',
  's',
];

/** A path that a random document may have. */
export function randomPath(random: Random): string {
  return random.pick(PATHS);
}
