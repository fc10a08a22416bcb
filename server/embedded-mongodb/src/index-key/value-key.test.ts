import {
  Binary,
  BSONRegExp,
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
import { expect, test } from 'vitest';
import { compareValues } from '../bson/compare.ts';
import { encodeValue, entryPrefix } from './entry-key.ts';
import { indexFields } from './index-spec.ts';

const decimal = (text: string) => Decimal128.fromString(text);

/** Values in ascending order; those in one list are equal. */
const ASCENDING: unknown[][] = [
  [new MinKey()],
  [null],
  [new Double(Number.NaN), decimal('NaN')],
  [new Double(Number.NEGATIVE_INFINITY), decimal('-Infinity')],
  [decimal('-1E6144')],
  [new Double(-1.5e300)],
  [Long.MIN_VALUE, new Double(-(2 ** 63))],
  [new Int32(-10)],
  [new Double(-9.5), decimal('-9.50')],
  [new Double(-0.1)],
  [decimal('-1E-6176')],
  [new Int32(0), new Double(0), new Double(-0), Long.ZERO, decimal('0'), decimal('-0E-100')],
  [new Double(5e-324)],
  [decimal('0.1')],
  [new Double(0.1)],
  [new Int32(1), new Double(1), Long.ONE, decimal('1'), decimal('1.000')],
  [decimal('1.000000000000000000000000000000001')],
  [new Int32(9)],
  [new Int32(10), decimal('1E1')],
  [new Int32(99)],
  [new Int32(100), decimal('1E+2')],
  [Long.fromString('9007199254740992'), new Double(9007199254740992)],
  [Long.fromString('9007199254740993'), decimal('9007199254740993')],
  [Long.MAX_VALUE],
  [new Double(2 ** 63), decimal('9223372036854775808')],
  [new Double(1.5e300)],
  [decimal('9E6144')],
  [new Double(Number.POSITIVE_INFINITY), decimal('Infinity')],
  [''],
  ['\0'],
  ['\0a'],
  ['A'],
  ['a'],
  ['a\0'],
  ['a\0b'],
  ['aa'],
  ['é'],
  ['\u{1f600}'],
  [{}],
  [{ a: new Int32(1) }, { a: new Double(1) }],
  [{ a: new Int32(1), b: new Int32(1) }],
  [{ a: new Int32(2) }],
  [{ b: new Int32(1) }],
  [{ a: 'x' }],
  [[]],
  [[null]],
  [[new Int32(1)]],
  [[new Int32(1), new Int32(2)]],
  [[new Int32(2)]],
  [new Binary(Buffer.from([]))],
  [new Binary(Buffer.from([9]))],
  [new Binary(Buffer.from([0]), 5)],
  [new Binary(Buffer.from([0, 0]))],
  [new ObjectId('000000000000000000000001')],
  [new ObjectId('ff0000000000000000000001')],
  [false],
  [true],
  [new Date(-8.64e15)],
  [new Date(-1)],
  [new Date(0)],
  [new Date(1)],
  [new Timestamp({ t: 1, i: 2 })],
  [new Timestamp({ t: 2, i: 1 })],
  [new BSONRegExp('a', '')],
  [new BSONRegExp('a', 'i')],
  [new BSONRegExp('b', '')],
  [new Code('a')],
  [new MaxKey()],
];

test('keys compare as the values do, and equal values have equal keys', () => {
  const flat = ASCENDING.flatMap((values, rank) => values.map((value) => ({ value, rank })));
  for (const a of flat) {
    for (const b of flat) {
      const expected = Math.sign(a.rank - b.rank);
      const told = `${JSON.stringify(a.value)} against ${JSON.stringify(b.value)}`;
      expect(Math.sign(encodeValue(a.value).compare(encodeValue(b.value))), told).toBe(expected);
      expect(Math.sign(compareValues(a.value, b.value)) + 0, `compareValues: ${told}`).toBe(expected);
    }
  }
});

test('no key is a prefix of another one', () => {
  const keys = ASCENDING.map(([value]) => encodeValue(value));
  for (const a of keys)
    for (const b of keys) if (a !== b) expect(b.subarray(0, a.length).equals(a)).toBe(false);
});

test('descending fields come in the opposite order', () => {
  const fields = indexFields({ a: -1, b: 1 });
  const keys = ASCENDING.map(([value]) => entryPrefix(1, fields, [value, 'x']));
  for (let i = 1; i < keys.length; i++) expect((keys[i - 1] as Buffer).compare(keys[i] as Buffer)).toBe(1);
});
