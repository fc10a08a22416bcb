import type { Decimal128, Double, Int32, Long } from 'bson';
import {
  compareDecimals,
  type Decimal,
  decimalOfDouble,
  decimalOfInteger,
  decodeDecimal,
} from './decimal.ts';
import { typeName } from './values.ts';

/** One number of any BSON type, taken apart for comparing and calculating. */
export type Numeric =
  | { type: 'int'; value: number }
  | { type: 'double'; value: number }
  | { type: 'long'; value: bigint }
  | { type: 'decimal'; value: Decimal };

/** Takes a BSON number apart; undefined for everything that is no number. */
export function numeric(value: unknown): Numeric | undefined {
  switch (typeName(value)) {
    case 'int':
      return { type: 'int', value: (value as Int32).value };
    case 'double':
      return { type: 'double', value: typeof value === 'number' ? value : (value as Double).value };
    case 'long':
      return { type: 'long', value: typeof value === 'bigint' ? value : (value as Long).toBigInt() };
    case 'decimal':
      return { type: 'decimal', value: decodeDecimal(value as Decimal128) };
    default:
      return undefined;
  }
}

/** Whether the value is a NaN of either type. */
export function isNaNValue(value: unknown): boolean {
  const number = numeric(value);
  if (number?.type === 'double') return Number.isNaN(number.value);
  return number?.type === 'decimal' && number.value.kind === 'nan';
}

/** The same number as an exact decimal. */
export function toDecimal(number: Numeric): Decimal {
  if (number.type === 'decimal') return number.value;
  return number.type === 'double' ? decimalOfDouble(number.value) : decimalOfInteger(BigInt(number.value));
}

/** Orders numbers of all types by their exact value; NaN is the least and equals NaN; -0 equals 0. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (a.type === 'decimal' || b.type === 'decimal') return compareDecimals(toDecimal(a), toDecimal(b));
  if (a.type === 'long' && b.type === 'long') return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
  const leftNaN = Number.isNaN(a.value);
  const rightNaN = Number.isNaN(b.value);
  if (leftNaN || rightNaN) return leftNaN === rightNaN ? 0 : leftNaN ? -1 : 1;
  // JavaScript compares a bigint with a number by their exact values.
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

/** The number as an integer when it has no fraction, else undefined. */
export function asInteger(value: unknown): bigint | undefined {
  const number = numeric(value);
  if (number === undefined) return undefined;
  if (number.type === 'int' || number.type === 'long') return BigInt(number.value);
  if (number.type === 'double') return Number.isInteger(number.value) ? BigInt(number.value) : undefined;
  const { kind, negative, coefficient, exponent } = number.value;
  if (kind !== 'finite') return undefined;
  const magnitude =
    exponent >= 0 ? coefficient * 10n ** BigInt(exponent) : coefficient / 10n ** BigInt(-exponent);
  if (exponent < 0 && magnitude * 10n ** BigInt(-exponent) !== coefficient) return undefined;
  return negative ? -magnitude : magnitude;
}

/** The number behind any BSON number type; undefined for all other values. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  switch ((value as { _bsontype?: string } | null)?._bsontype) {
    case 'Int32':
    case 'Double':
      return (value as { value: number }).value;
    case 'Long':
      return (value as { toNumber(): number }).toNumber();
    case 'Decimal128':
      return Number(String(value));
    default:
      return undefined;
  }
}
