/** Walking over a BSON document's bytes: https://bsonspec.org/spec.html */
import { MongoError } from '../errors/mongo-error.ts';

/** How many elements a BSON document has at its top level. It must be well-formed. */
export function countElements(raw: Uint8Array): number {
  let count = 0;
  for (const _ of elementsOf(bufferOf(raw))) count++;
  return count;
}

/** A well-formed BSON document with those of its top-level elements whose names are kept, byte by byte as they were. */
export function keepElements(raw: Uint8Array, isKept: (name: string) => boolean): Buffer {
  const bytes = bufferOf(raw);
  const kept: Buffer[] = [Buffer.allocUnsafe(4)];
  let length = 5;
  for (const { start, nameEnd, end } of elementsOf(bytes)) {
    if (!isKept(bytes.toString('utf8', start + 1, nameEnd))) continue;
    kept.push(bytes.subarray(start, end));
    length += end - start;
  }
  kept.push(END);
  kept[0]?.writeInt32LE(length);
  return Buffer.concat(kept, length);
}

const END = Buffer.alloc(1);

/** Where an element stands in its document; its name from the byte after `start` to before `nameEnd`. */
interface Element {
  start: number;
  nameEnd: number;
  end: number;
}

function* elementsOf(bytes: Buffer): Generator<Element, void, void> {
  for (let start = 4; bytes[start]; ) {
    const nameEnd = bytes.indexOf(0, start + 1);
    const end = nameEnd + 1 + valueBytes(bytes, bytes[start] as number, nameEnd + 1);
    yield { start, nameEnd, end };
    start = end;
  }
}

function bufferOf(raw: Uint8Array): Buffer {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
}

/** The sizes of the types whose values all have the same. */
const FIXED_BYTES: Record<number, number> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};

/** How many bytes an element's value takes. */
function valueBytes(bytes: Buffer, type: number, at: number): number {
  const fixed = FIXED_BYTES[type];
  if (fixed !== undefined) return fixed;
  switch (type) {
    case 0x02:
    case 0x0d:
    case 0x0e:
      return 4 + bytes.readInt32LE(at);
    case 0x03:
    case 0x04:
    case 0x0f:
      return bytes.readInt32LE(at);
    case 0x05:
      return 5 + bytes.readInt32LE(at);
    case 0x0b:
      return bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1 - at;
    case 0x0c:
      return 4 + bytes.readInt32LE(at) + 12;
    default:
      throw new MongoError(22, 'InvalidBSON', `unknown BSON type ${type}`);
  }
}
