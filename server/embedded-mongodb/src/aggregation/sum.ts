import { Double, Int32, Long } from 'bson';
import {
  addDecimals,
  type Decimal,
  decimalOfDouble,
  decimalOfInteger,
  divideDecimal,
  encodeDecimal,
  roundToDigits,
} from '../bson/decimal.ts';
import type { Numeric } from '../bson/numbers.ts';

/**
 * Adds up numbers of all types as MongoDB's `$sum` and `$avg` do: integers exactly; doubles with the running error
 * of each addition kept beside the sum (Knuth's 2Sum, Dekker's Fast2Sum); Decimal128 apart from both.
 */
export class Summation {
  /** How many numbers were added. */
  count = 0;
  private widest: Numeric['type'] = 'int';
  private integers = 0n;
  private sum = 0;
  private addend = 0;
  /** The plain sum: what counts when the exact one has run into infinity. */
  private plain = 0;
  private decimals: Decimal | undefined;

  add(number: Numeric): void {
    this.count++;
    if (number.type === 'decimal') {
      this.decimals = addRounded(this.decimals ?? decimalOfInteger(0n), number.value);
      return;
    }
    if (number.type === 'double') {
      this.widest = 'double';
      this.addDouble(number.value);
      return;
    }
    const value = BigInt(number.value);
    this.integers += value;
    if (number.type === 'int') {
      // In one piece: adding a zero as well would let the error that is kept go into the sum.
      this.addDouble(Number(value));
      return;
    }
    if (this.widest === 'int') this.widest = 'long';
    // A double holds 53 bits: the halves of a 64 bit number are added one after the other.
    const high = (value / 0x100000000n) * 0x100000000n;
    this.addDouble(Number(value - high));
    this.addDouble(Number(high));
  }

  private addDouble(value: number): void {
    this.plain += value;
    const small = value + this.addend;
    this.addend -= small - value;
    const sum = this.sum + small;
    const before = sum - small;
    this.addend += this.sum - before + (small - (sum - before));
    this.sum = sum;
  }

  private asDouble(): number {
    return Number.isNaN(this.sum) ? this.plain : this.sum;
  }

  private asDecimal(): Decimal {
    const whole = Number.isFinite(this.sum) ? this.sum : this.plain;
    const total = roundToDigits(decimalOfDouble(whole), 34);
    return Number.isFinite(this.sum)
      ? addRounded(total, roundToDigits(decimalOfDouble(this.addend), 34))
      : total;
  }

  /** The sum in the narrowest type that MongoDB would give. */
  total(): unknown {
    if (this.decimals !== undefined) return encodeDecimal(addDecimals(this.decimals, this.asDecimal()));
    if (this.widest === 'double') return new Double(this.asDouble());
    const { integers } = this;
    if (this.widest === 'int' && BigInt.asIntN(32, integers) === integers) return new Int32(Number(integers));
    if (BigInt.asIntN(64, integers) === integers) return Long.fromBigInt(integers);
    return new Double(Number(integers));
  }

  /** The mean, null of no numbers at all. */
  mean(): unknown {
    if (this.count === 0) return null;
    if (this.decimals === undefined) return new Double(this.asDouble() / this.count);
    const total = addRounded(this.decimals, this.asDecimal());
    return encodeDecimal(divideDecimal(total, BigInt(this.count)));
  }
}

function addRounded(a: Decimal, b: Decimal): Decimal {
  const sum = addDecimals(a, b);
  return sum.kind === 'finite' ? roundToDigits(sum, 34) : sum;
}
