import {
  Binary,
  BSONRegExp,
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
import { compareValues } from './compare.ts';

/** One value of each step of MongoDB's order, ascending; what stands in one list is equal. */
const ORDER: unknown[][] = [
  [new MinKey()],
  [null],
  [new Double(Number.NaN), Decimal128.fromString('NaN')],
  [new Double(Number.NEGATIVE_INFINITY), Decimal128.fromString('-Infinity')],
  [Long.MIN_VALUE],
  [new Double(-0), new Int32(0), Long.ZERO, Decimal128.fromString('-0.00')],
  [Decimal128.fromString('1E-400')],
  [new Double(0.1)],
  [Decimal128.fromString('0.1000000000000000055511151231257828')],
  [new Int32(1), Long.ONE, new Double(1), Decimal128.fromString('1.00')],
  [new Double(2 ** 53)],
  [Long.fromString('9007199254740993')],
  [Decimal128.fromString('1E+400')],
  [new Double(Number.POSITIVE_INFINITY)],
  [''],
  ['B'],
  ['a'],
  ['\uffff'],
  ['😀'],
  [{}],
  [{ a: new Int32(1) }, { a: new Double(1) }],
  [{ a: new Int32(1), b: null }],
  [{ b: new Int32(0) }],
  [[]],
  [[new Int32(1)]],
  [[new Int32(1), null]],
  [new Binary(Buffer.from('zz'), 0)],
  [new Binary(Buffer.from('zz'), 5)],
  [new Binary(Buffer.from('aaa'), 0)],
  [new ObjectId('000000000000000000000001')],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Timestamp({ t: 0, i: 1 })],
  [new BSONRegExp('a', '')],
  [new MaxKey()],
];

test('compares over all types as MongoDB sorts them, and numbers by their exact values', () => {
  for (const [i, left] of ORDER.entries()) {
    for (const [j, right] of ORDER.entries()) {
      for (const a of left) {
        for (const b of right) {
          expect([i, j, Math.sign(compareValues(a, b)) + 0]).toEqual([i, j, Math.sign(i - j)]);
        }
      }
    }
  }
});
