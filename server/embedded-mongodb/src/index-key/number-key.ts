/**
 * Ordered encoding of int32, int64, double and Decimal128: equal numbers have the same bytes, and bytes compare as numbers do.
 * A finite number is 0.d1d2d3… × 10^E: a sign byte, E, the digits in pairs (each pair + 1, so that the closing 0 is less).
 * A negative number has all bytes after its sign inverted.
 */
import type { KeyWriter } from './key-writer.ts';

const NAN = 0x10;
const NEGATIVE_INFINITY = 0x20;
const NEGATIVE = 0x30;
const ZERO = 0x40;
const POSITIVE = 0x50;
const INFINITY = 0x60;

/** Decimal128 exponents reach from -6176 to 6144; the bias keeps E positive in two bytes. */
const EXPONENT_BIAS = 0x4000;

/** Writes one number of any BSON numeric type (a plain number, bigint, Int32, Double, Long or Decimal128). */
export function writeNumber(out: KeyWriter, value: unknown): KeyWriter {
  if (typeof value === 'number') return writeDouble(out, value);
  if (typeof value === 'bigint')
    return writeDigits(out, value < 0n, digitsOf(value < 0n ? -value : value), 0);
  const typed = value as { _bsontype: string; value: number; toString(): string };
  switch (typed._bsontype) {
    case 'Int32':
    case 'Double':
      return writeDouble(out, typed.value);
    case 'Long': {
      const text = typed.toString();
      const negative = text.startsWith('-');
      return writeDigits(out, negative, negative ? text.slice(1) : text, 0);
    }
    case 'Decimal128':
      return writeDecimal(out, typed.toString());
    default:
      throw new TypeError(`not a BSON number: ${typed._bsontype}`);
  }
}

function writeDouble(out: KeyWriter, value: number): KeyWriter {
  if (Number.isNaN(value)) return out.byte(NAN);
  if (value === Number.POSITIVE_INFINITY) return out.byte(INFINITY);
  if (value === Number.NEGATIVE_INFINITY) return out.byte(NEGATIVE_INFINITY);
  if (value === 0) return out.byte(ZERO);
  const negative = value < 0;
  const size = negative ? -value : value;
  if (Number.isSafeInteger(size)) return writeDigits(out, negative, String(size), 0);
  const [digits, exponent] = exactDecimal(size);
  return writeDigits(out, negative, digits, exponent);
}

const doubleView = new DataView(new ArrayBuffer(8));

/** The exact decimal value of a positive double: digits × 10^exponent. */
function exactDecimal(size: number): [digits: string, exponent: number] {
  doubleView.setFloat64(0, size);
  const bits = doubleView.getBigUint64(0);
  const rawExponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = rawExponent === 0 ? fraction : fraction | 0x10000000000000n;
  const power = (rawExponent === 0 ? 1 : rawExponent) - 1075;
  if (power >= 0) return [digitsOf(mantissa << BigInt(power)), 0];
  // m × 2^-k is m × 5^k × 10^-k
  return [digitsOf(mantissa * 5n ** BigInt(-power)), power];
}

function writeDecimal(out: KeyWriter, text: string): KeyWriter {
  if (text === 'NaN') return out.byte(NAN);
  if (text === 'Infinity') return out.byte(INFINITY);
  if (text === '-Infinity') return out.byte(NEGATIVE_INFINITY);
  const parts = /^(-?)(\d*)\.?(\d*)(?:E([+-]?\d+))?$/i.exec(text);
  if (!parts) throw new TypeError(`unreadable Decimal128 ${text}`);
  const fraction = parts[3] ?? '';
  return writeDigits(
    out,
    parts[1] === '-',
    `${parts[2] ?? ''}${fraction}`,
    Number(parts[4] ?? 0) - fraction.length,
  );
}

function digitsOf(value: bigint): string {
  return value.toString();
}

/** Writes digits × 10^exponent. Leading and trailing zeros do not matter. */
function writeDigits(out: KeyWriter, negative: boolean, digits: string, exponent: number): KeyWriter {
  let start = 0;
  while (start < digits.length && digits.charCodeAt(start) === 48) start++;
  if (start === digits.length) return out.byte(ZERO);
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  const flip = negative ? 0xff : 0;
  out.byte(negative ? NEGATIVE : POSITIVE);
  const point = digits.length - start + exponent + EXPONENT_BIAS;
  out.byte((point >> 8) ^ flip);
  out.byte((point & 0xff) ^ flip);
  for (let at = start; at < end; at += 2) {
    const high = digits.charCodeAt(at) - 48;
    const low = at + 1 < end ? digits.charCodeAt(at + 1) - 48 : 0;
    out.byte((high * 10 + low + 1) ^ flip);
  }
  return out.byte(flip);
}
