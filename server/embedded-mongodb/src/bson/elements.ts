/** Walking over a BSON document's bytes: https://bsonspec.org/spec.html */
import { MongoError } from '../errors/mongo-error.ts';

/** How many elements a BSON document has at its top level. It must be well-formed. */
export function countElements(raw: Uint8Array): number {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  let count = 0;
  let at = 4;
  for (;;) {
    const type = bytes[at++];
    if (!type) return count;
    count++;
    at = bytes.indexOf(0, at) + 1;
    at += valueBytes(bytes, type, at);
  }
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
