import { Decimal128 } from 'bson';

/** A Decimal128 taken apart: `(-1)^negative * coefficient * 10^exponent`. */
export interface Decimal {
  kind: 'finite' | 'infinite' | 'nan';
  negative: boolean;
  coefficient: bigint;
  exponent: number;
}

const BIAS = 6176;
const MAX_EXPONENT = 6111;
const LIMIT = 10n ** 34n;
const LOW_64 = (1n << 64n) - 1n;

/** Takes BSON's 16 bytes apart (IEEE 754-2008 decimal128, binary integer coefficient). */
export function decodeDecimal(value: Decimal128): Decimal {
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, 16);
  const low = view.getBigUint64(0, true);
  const high = view.getBigUint64(8, true);
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 31n);
  if (combination === 31) return { kind: 'nan', negative, coefficient: 0n, exponent: 0 };
  if (combination === 30) return { kind: 'infinite', negative, coefficient: 0n, exponent: 0 };
  if (combination >= 24) {
    // This form only spells coefficients of more than 34 digits, which the standard reads as zero.
    return { kind: 'finite', negative, coefficient: 0n, exponent: Number((high >> 47n) & 0x3fffn) - BIAS };
  }
  const coefficient = ((high & 0x1ffffffffffffn) << 64n) | low;
  return {
    kind: 'finite',
    negative,
    coefficient: coefficient < LIMIT ? coefficient : 0n,
    exponent: Number((high >> 49n) & 0x3fffn) - BIAS,
  };
}

/** Puts a decimal together again, rounded half to even to 34 digits as the standard asks. */
export function encodeDecimal(decimal: Decimal): Decimal128 {
  const sign = decimal.negative ? 1n << 63n : 0n;
  if (decimal.kind === 'nan') return pack(0x7c00n << 48n, 0n);
  if (decimal.kind === 'infinite') return pack(sign | (0x7800n << 48n), 0n);
  let { coefficient, exponent } = roundToDigits(decimal, 34);
  if (exponent < -BIAS) {
    coefficient = divideHalfEven(coefficient, 10n ** BigInt(-BIAS - exponent));
    exponent = -BIAS;
  }
  while (exponent > MAX_EXPONENT && coefficient !== 0n && coefficient * 10n < LIMIT) {
    coefficient *= 10n;
    exponent--;
  }
  if (exponent > MAX_EXPONENT) {
    if (coefficient !== 0n) return pack(sign | (0x7800n << 48n), 0n);
    exponent = MAX_EXPONENT;
  }
  return pack(sign | (BigInt(exponent + BIAS) << 49n) | (coefficient >> 64n), coefficient & LOW_64);
}

function pack(high: bigint, low: bigint): Decimal128 {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, low, true);
  view.setBigUint64(8, high, true);
  return new Decimal128(bytes);
}

/** At most that many digits, rounded half to even. */
export function roundToDigits(decimal: Decimal, digits: number): Decimal {
  const excess = digitCount(decimal.coefficient) - digits;
  if (excess <= 0) return decimal;
  const rounded = {
    ...decimal,
    coefficient: divideHalfEven(decimal.coefficient, 10n ** BigInt(excess)),
    exponent: decimal.exponent + excess,
  };
  return digitCount(rounded.coefficient) > digits ? roundToDigits(rounded, digits) : rounded;
}

/** How many decimal digits a non-negative number has. */
export function digitCount(coefficient: bigint): number {
  return coefficient === 0n ? 1 : coefficient.toString().length;
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

/** The exact decimal that an integer is. */
export function decimalOfInteger(value: bigint): Decimal {
  return { kind: 'finite', negative: value < 0n, coefficient: value < 0n ? -value : value, exponent: 0 };
}

/** Every digit of a double: doubles are binary fractions, so each one has a finite decimal expansion. */
export function decimalOfDouble(value: number): Decimal {
  const negative = value < 0 || Object.is(value, -0);
  if (Number.isNaN(value)) return { kind: 'nan', negative: false, coefficient: 0n, exponent: 0 };
  if (!Number.isFinite(value)) return { kind: 'infinite', negative, coefficient: 0n, exponent: 0 };
  let magnitude = Math.abs(value);
  let halvings = 0;
  while (!Number.isInteger(magnitude)) {
    magnitude *= 2;
    halvings++;
  }
  return {
    kind: 'finite',
    negative,
    coefficient: BigInt(magnitude) * 5n ** BigInt(halvings),
    exponent: -halvings,
  };
}

/** Orders two decimals by their value; NaN is the least. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.kind === 'nan' || b.kind === 'nan') return a.kind === b.kind ? 0 : a.kind === 'nan' ? -1 : 1;
  const left = signOf(a);
  const right = signOf(b);
  if (left !== right || left === 0) return Math.sign(left - right);
  const larger = compareMagnitudes(a, b);
  return left < 0 ? -larger : larger;
}

function signOf(decimal: Decimal): number {
  if (decimal.kind === 'finite' && decimal.coefficient === 0n) return 0;
  return decimal.negative ? -1 : 1;
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.kind === 'infinite' || b.kind === 'infinite')
    return a.kind === b.kind ? 0 : a.kind === 'infinite' ? 1 : -1;
  // Most pairs differ in their leading digit's place; only then are huge powers of ten avoidable.
  const places = digitCount(a.coefficient) + a.exponent - (digitCount(b.coefficient) + b.exponent);
  if (places !== 0) return Math.sign(places);
  const lowest = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - lowest);
  const right = b.coefficient * 10n ** BigInt(b.exponent - lowest);
  return left < right ? -1 : left > right ? 1 : 0;
}

const NAN: Decimal = { kind: 'nan', negative: false, coefficient: 0n, exponent: 0 };

/** The exact sum, not yet rounded to 34 digits. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return NAN;
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    if (a.kind === b.kind && a.negative !== b.negative) return NAN;
    return a.kind === 'infinite' ? a : b;
  }
  const exponent = Math.min(a.exponent, b.exponent);
  const sum = scaled(a, exponent) + scaled(b, exponent);
  const negative = sum < 0n || (sum === 0n && a.negative && b.negative);
  return { kind: 'finite', negative, coefficient: sum < 0n ? -sum : sum, exponent };
}

function scaled(decimal: Decimal, exponent: number): bigint {
  const magnitude = decimal.coefficient * 10n ** BigInt(decimal.exponent - exponent);
  return decimal.negative ? -magnitude : magnitude;
}

/** A decimal divided by a positive integer, to 34 digits; an exact quotient keeps the dividend's exponent if it can. */
export function divideDecimal(dividend: Decimal, divisor: bigint): Decimal {
  if (dividend.kind !== 'finite' || dividend.coefficient === 0n) return dividend;
  const shift = 35 + digitCount(divisor);
  const scaledUp = dividend.coefficient * 10n ** BigInt(shift);
  let coefficient = scaledUp / divisor;
  let exponent = dividend.exponent - shift;
  if (scaledUp % divisor !== 0n) {
    // A digit that stands for the rest keeps a half from being taken for an exact half.
    return roundToDigits({ ...dividend, coefficient: coefficient * 10n + 1n, exponent: exponent - 1 }, 34);
  }
  while (exponent < dividend.exponent && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent++;
  }
  return roundToDigits({ ...dividend, coefficient, exponent }, 34);
}
