import type { Binary, BSONRegExp, BSONSymbol, Code, ObjectId, Timestamp } from 'bson';
import type { Doc } from './document.ts';
import { compareNumbers, numeric } from './numbers.ts';
import { fieldsOf, type TypeName, typeName } from './values.ts';

/** MongoDB's order of types; types of one rank are compared by value with each other. */
const RANK: Record<TypeName | 'missing', number> = {
  minKey: -1,
  missing: 0,
  undefined: 0,
  null: 5,
  int: 10,
  double: 10,
  long: 10,
  decimal: 10,
  string: 15,
  symbol: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbPointer: 55,
  javascript: 60,
  javascriptWithScope: 65,
  maxKey: 127,
};

/** The place of a value's type in MongoDB's order of types. */
export function typeRank(value: unknown): number {
  return RANK[typeName(value)];
}

/**
 * Orders any two BSON values as MongoDB sorts and indexes them: first by type, then by value; numbers of all
 * types by their exact value, strings by their UTF-8 bytes, documents field by field (type, name, value).
 * Gives a negative number, 0 or a positive number.
 */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const rank = typeRank(a);
  const difference = rank - typeRank(b);
  return difference !== 0 ? difference : compareSameRank(rank, a, b);
}

function compareSameRank(rank: number, a: unknown, b: unknown): number {
  switch (rank) {
    case RANK.int:
      // biome-ignore lint/style/noNonNullAssertion: the rank says that both are numbers
      return compareNumbers(numeric(a)!, numeric(b)!);
    case RANK.string:
      return compareStrings(text(a), text(b));
    case RANK.object:
      return compareDocuments(a as Doc, b as Doc);
    case RANK.array:
      return compareArrays(a as unknown[], b as unknown[]);
    case RANK.binData:
      return compareBinary(a as Binary, b as Binary);
    case RANK.objectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case RANK.bool:
      return Number(a) - Number(b);
    case RANK.date:
      return (a as Date).getTime() - (b as Date).getTime();
    case RANK.timestamp:
      return compareTimestamps(a as Timestamp, b as Timestamp);
    case RANK.regex:
      return compareRegexes(a as BSONRegExp, b as BSONRegExp);
    case RANK.javascript:
      return compareStrings((a as Code).code.toString(), (b as Code).code.toString());
    case RANK.javascriptWithScope: {
      const code = compareStrings((a as Code).code.toString(), (b as Code).code.toString());
      return code !== 0 ? code : compareDocuments((a as Code).scope as Doc, (b as Code).scope as Doc);
    }
    default:
      return 0;
  }
}

/** Orders strings by their UTF-8 bytes, which is by code point: UTF-16 units put surrogates too early. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    const leftSurrogate = left >= 0xd800 && left <= 0xdfff;
    const rightSurrogate = right >= 0xd800 && right <= 0xdfff;
    if (leftSurrogate !== rightSurrogate) return leftSurrogate ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (value as BSONSymbol).value;
}

function compareDocuments(a: Doc, b: Doc): number {
  const left = fieldsOf(a);
  const right = fieldsOf(b);
  const leftNames = Object.keys(left);
  const rightNames = Object.keys(right);
  const length = Math.min(leftNames.length, rightNames.length);
  for (let i = 0; i < length; i++) {
    const leftName = leftNames[i] as string;
    const rightName = rightNames[i] as string;
    const type = typeRank(left[leftName]) - typeRank(right[rightName]);
    if (type !== 0) return type;
    const name = compareStrings(leftName, rightName);
    if (name !== 0) return name;
    const value = compareValues(left[leftName], right[rightName]);
    if (value !== 0) return value;
  }
  return leftNames.length - rightNames.length;
}

function compareArrays(a: unknown[], b: unknown[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareValues(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareBinary(a: Binary, b: Binary): number {
  const length = a.length() - b.length();
  if (length !== 0) return length;
  if (a.sub_type !== b.sub_type) return a.sub_type - b.sub_type;
  return Buffer.compare(a.buffer.subarray(0, a.position), b.buffer.subarray(0, b.position));
}

function compareTimestamps(a: Timestamp, b: Timestamp): number {
  const high = a.getHighBitsUnsigned() - b.getHighBitsUnsigned();
  return high !== 0 ? high : a.getLowBitsUnsigned() - b.getLowBitsUnsigned();
}

function compareRegexes(a: BSONRegExp, b: BSONRegExp): number {
  const pattern = compareStrings(a.pattern, b.pattern);
  return pattern !== 0 ? pattern : compareStrings(a.options, b.options);
}
