/**
 * The ordered encoding of any BSON value: bytes compare as MongoDB compares the values, over its whole type
 * order, and no encoding is a prefix of another one, so that encodings can stand one after the other in a
 * compound key, and be inverted for a descending field.
 */
import type { KeyWriter } from './key-writer.ts';
import { writeNumber } from './number-key.ts';

/**
 * The type byte that each value begins with, in MongoDB's comparison order
 * (https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/). 0 closes objects and arrays.
 */
export const TYPE = {
  minKey: 1,
  /** What an index holds for an empty array. */
  undefined: 2,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binary: 30,
  objectId: 35,
  boolean: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbRef: 55,
  code: 60,
  codeWithScope: 65,
  maxKey: 127,
} as const;

/** The type byte of a value: two values with the same one are compared with each other by range operators. */
export function typeByte(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return TYPE.string;
    case 'number':
    case 'bigint':
      return TYPE.number;
    case 'boolean':
      return TYPE.boolean;
    case 'undefined':
      return TYPE.undefined;
    case 'object':
      break;
    default:
      throw new TypeError(`not a BSON value: ${typeof value}`);
  }
  if (value === null) return TYPE.null;
  if (Array.isArray(value)) return TYPE.array;
  if (value instanceof Date) return TYPE.date;
  if (value instanceof Uint8Array) return TYPE.binary;
  if (value instanceof RegExp) return TYPE.regex;
  switch ((value as { _bsontype?: string })._bsontype) {
    case undefined:
    case 'DBRef':
      return TYPE.object;
    case 'Int32':
    case 'Double':
    case 'Long':
    case 'Decimal128':
      return TYPE.number;
    case 'BSONSymbol':
      return TYPE.string;
    case 'ObjectId':
      return TYPE.objectId;
    case 'Binary':
    case 'UUID':
      return TYPE.binary;
    case 'Timestamp':
      return TYPE.timestamp;
    case 'BSONRegExp':
      return TYPE.regex;
    case 'Code':
      return (value as { scope?: unknown }).scope ? TYPE.codeWithScope : TYPE.code;
    case 'MinKey':
      return TYPE.minKey;
    case 'MaxKey':
      return TYPE.maxKey;
    default:
      throw new TypeError(`unknown BSON type ${(value as { _bsontype?: string })._bsontype}`);
  }
}

const SIGN = 0x8000000000000000n;

/** Appends the ordered encoding of one value. */
export function writeValue(out: KeyWriter, value: unknown): KeyWriter {
  const type = typeByte(value);
  out.byte(type);
  switch (type) {
    case TYPE.number:
      return writeNumber(out, value);
    case TYPE.string:
      return out.text(typeof value === 'string' ? value : String((value as { value: string }).value));
    case TYPE.objectId:
      return out.raw((value as { id: Uint8Array }).id);
    case TYPE.boolean:
      return out.byte(value ? 1 : 0);
    case TYPE.date:
      return out.uint64(BigInt.asUintN(64, BigInt((value as Date).getTime()) ^ SIGN));
    case TYPE.array:
      for (const item of value as unknown[]) writeValue(out, item);
      return out.byte(0);
    case TYPE.object:
      return writeObject(out, value as Record<string, unknown>);
    case TYPE.binary:
      return writeBinary(out, value as Uint8Array & { sub_type?: number });
    case TYPE.timestamp:
      return out.uint64(BigInt.asUintN(64, BigInt(String(value))));
    case TYPE.regex:
      return writeRegex(out, value as RegExp & { pattern?: string; options?: string });
    case TYPE.code:
    case TYPE.codeWithScope:
      return writeCode(out, value as { code: string; scope?: Record<string, unknown> | null });
    default:
      return out;
  }
}

/** Objects compare field by field: first the type of the value, then the name, then the value. */
function writeObject(out: KeyWriter, value: Record<string, unknown>): KeyWriter {
  const fields = value._bsontype === 'DBRef' ? (value as unknown as { toJSON(): object }).toJSON() : value;
  for (const [name, item] of Object.entries(fields)) {
    if (item === undefined) continue;
    out.byte(typeByte(item));
    out.text(name);
    writeValue(out, item);
  }
  return out.byte(0);
}

/** Binary values compare by length, then subtype, then bytes. */
function writeBinary(out: KeyWriter, value: Uint8Array & { sub_type?: number }): KeyWriter {
  const bytes =
    value instanceof Uint8Array ? value : ((value as { value(): Uint8Array }).value() as Uint8Array);
  return out
    .uint32(bytes.length)
    .byte(value.sub_type ?? 0)
    .raw(bytes);
}

function writeRegex(out: KeyWriter, value: RegExp & { pattern?: string; options?: string }): KeyWriter {
  return out.text(value.pattern ?? value.source).text(value.options ?? value.flags);
}

function writeCode(
  out: KeyWriter,
  value: { code: string; scope?: Record<string, unknown> | null },
): KeyWriter {
  out.text(value.code);
  return value.scope ? writeObject(out, value.scope) : out;
}
