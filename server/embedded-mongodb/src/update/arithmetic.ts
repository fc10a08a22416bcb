import { Double, Int32, Long } from 'bson';
import { compareValues } from '../bson/compare.ts';
import { addDecimals, type Decimal, digitCount, encodeDecimal, roundToDigits } from '../bson/decimal.ts';
import { type Numeric, numeric, toDecimal } from '../bson/numbers.ts';
import { typeName } from '../bson/values.ts';
import { badValue } from '../errors/mongo-error.ts';

/** The two operations that updates and accumulators calculate with. */
export type Operation = '+' | '*';

/**
 * Calculates by MongoDB's type rules: the result is as wide as the wider operand, int32 overflows into int64,
 * a double makes a double, a Decimal128 makes a Decimal128 of at most 34 digits.
 * Gives undefined when an int64 overflows.
 */
export function calculate(operation: Operation, a: Numeric, b: Numeric): unknown {
  if (a.type === 'decimal' || b.type === 'decimal') {
    return encodeDecimal(calculateDecimals(operation, widened(a), widened(b)));
  }
  if (a.type === 'double' || b.type === 'double') {
    const [left, right] = [Number(a.value), Number(b.value)];
    return new Double(operation === '+' ? left + right : left * right);
  }
  const [left, right] = [BigInt(a.value), BigInt(b.value)];
  const result = operation === '+' ? left + right : left * right;
  if (a.type === 'int' && b.type === 'int' && BigInt.asIntN(32, result) === result)
    return new Int32(Number(result));
  return BigInt.asIntN(64, result) === result ? Long.fromBigInt(result) : undefined;
}

/** A number as MongoDB makes a Decimal128 of it to calculate: of a double, 15 digits count. */
function widened(number: Numeric): Decimal {
  const exact = toDecimal(number);
  if (number.type !== 'double' || exact.kind !== 'finite') return exact;
  if (exact.coefficient === 0n) return { ...exact, exponent: 0 };
  const rounded = roundToDigits(roundToDigits(exact, 34), 15);
  const padding = 15 - digitCount(rounded.coefficient);
  return {
    ...rounded,
    coefficient: rounded.coefficient * 10n ** BigInt(padding),
    exponent: rounded.exponent - padding,
  };
}

function calculateDecimals(operation: Operation, a: Decimal, b: Decimal): Decimal {
  const nan: Decimal = { kind: 'nan', negative: false, coefficient: 0n, exponent: 0 };
  if (a.kind === 'nan' || b.kind === 'nan') return nan;
  if (operation === '*') {
    const negative = a.negative !== b.negative;
    if (a.kind === 'infinite' || b.kind === 'infinite') {
      const isZero = (d: Decimal) => d.kind === 'finite' && d.coefficient === 0n;
      return isZero(a) || isZero(b) ? nan : { kind: 'infinite', negative, coefficient: 0n, exponent: 0 };
    }
    return {
      kind: 'finite',
      negative,
      coefficient: a.coefficient * b.coefficient,
      exponent: a.exponent + b.exponent,
    };
  }
  return addDecimals(a, b);
}

/**
 * `$inc` and `$mul` on a number that is there; equal results keep the old value, down to its spelling. Not a number
 * is equal to nothing, so that MongoDB counts a modification.
 */
export function applyArithmetic(name: '$inc' | '$mul', value: unknown, operand: Numeric): unknown {
  const result = calculate(name === '$inc' ? '+' : '*', numeric(value) as Numeric, operand);
  if (result === undefined) {
    throw badValue(`Failed to apply ${name} operations to current value ((NumberLong)${String(value)})`);
  }
  const isEqual = typeName(result) === typeName(value) && compareValues(result, value) === 0;
  return isEqual && !Number.isNaN(Number(String(result))) ? value : result;
}
