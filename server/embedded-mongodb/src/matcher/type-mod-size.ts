import { asInteger, isNaNValue, numeric, toDecimal } from '../bson/numbers.ts';
import { isNumber, TYPES, type TypeName, typeName } from '../bson/values.ts';
import { badValue, failedToParse, typeMismatch } from '../errors/mongo-error.ts';
import type { Test } from './predicate.ts';

const NUMBERS: TypeName[] = ['int', 'long', 'double', 'decimal'];

/** `$type`: a type's number or name, `number`, or an array of them. */
export function compileType(path: string, operand: unknown): Test {
  const list = Array.isArray(operand) ? operand : [operand];
  if (list.length === 0) throw failedToParse(`${path} must match at least one type`);
  const wanted = new Set(list.flatMap(typesOf));
  return (value) => wanted.has(typeName(value) as TypeName);
}

function typesOf(value: unknown): TypeName[] {
  if (typeof value === 'string') {
    if (value === 'number') return NUMBERS;
    if (!Object.hasOwn(TYPES, value)) throw badValue(`Unknown type name alias: ${value}`);
    return [value as TypeName];
  }
  if (!isNumber(value)) throw typeMismatch('type must be represented as a number or a string');
  const code = asInteger(value);
  const found = (Object.keys(TYPES) as TypeName[]).find((name) => BigInt(TYPES[name]) === code);
  if (found !== undefined) return [found];
  const hint = code === 0n ? '. Instead use {$exists:false}.' : '';
  throw badValue(`Invalid numerical type code: ${String(value)}${hint}`);
}

/** `$mod`: `[divisor, remainder]`; numbers lose their fraction first, as in MongoDB. */
export function compileMod(operand: unknown): Test {
  if (!Array.isArray(operand)) throw badValue('malformed mod, needs to be an array');
  if (operand.length < 2) throw badValue('malformed mod, not enough elements');
  if (operand.length > 2) throw badValue('malformed mod, too many elements');
  const divisor = modArgument('divisor', operand[0]);
  const remainder = modArgument('remainder', operand[1]);
  if (divisor === 0n) throw badValue('divisor cannot be 0');
  return (value) => {
    const dividend = truncated(value);
    return dividend !== undefined && dividend % divisor === remainder;
  };
}

function modArgument(name: string, value: unknown): bigint {
  if (!isNumber(value)) throw badValue(`malformed mod, ${name} not a number`);
  const integer = truncated(value);
  if (integer === undefined) {
    const why = isNaNValue(value) || /Inf/.test(String(value)) ? 'NaN/Inf' : 'value';
    throw badValue(
      `malformed mod, ${name} value is invalid :: caused by :: Unable to coerce ${why} to integral type`,
    );
  }
  return integer;
}

/** The number without its fraction when it then fits 64 bits. */
function truncated(value: unknown): bigint | undefined {
  const number = numeric(value);
  if (number === undefined) return undefined;
  const { kind, negative, coefficient, exponent } = toDecimal(number);
  if (kind !== 'finite' || exponent > 20) return undefined;
  const magnitude =
    exponent >= 0 ? coefficient * 10n ** BigInt(exponent) : coefficient / 10n ** BigInt(-exponent);
  const integer = negative ? -magnitude : magnitude;
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

/** `$size`: a whole number that is not negative. */
export function compileSize(operand: unknown): (array: unknown[]) => number | undefined {
  const shown = `$size: ${typeof operand === 'string' ? JSON.stringify(operand) : String(operand)}`;
  if (!isNumber(operand)) throw badValue(`Failed to parse $size. Expected a number in: ${shown}`);
  const size = asInteger(operand);
  if (size === undefined) throw badValue(`Failed to parse $size. Expected an integer: ${shown}`);
  if (size < 0n) throw badValue(`Failed to parse $size. Expected a non-negative number in: ${shown}`);
  if (size >= 2n ** 31n) throw badValue(`Failed to parse $size. Cannot represent ${shown} in an int`);
  return (array) => (BigInt(array.length) === size ? -1 : undefined);
}
