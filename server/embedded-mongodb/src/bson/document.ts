/** Reading and writing documents: one set of options for all of the engine. */
import { calculateObjectSize, deserialize, serialize } from 'bson';
import { MongoError } from '../errors/mongo-error.ts';

/** A document as `decode` gives it. */
export type Doc = Record<string, unknown>;

const READ = { promoteValues: false, bsonRegExp: true } as const;

/** Reads a BSON document into a plain object whose numbers keep their BSON types. */
export function decode(raw: Uint8Array): Doc {
  return deserialize(raw, READ) as Doc;
}

/** Reads a command: the documents in the arrays of these names stay raw. */
export function decodeCommand(raw: Uint8Array, rawFields: Record<string, boolean>): Doc {
  return deserialize(raw, { ...READ, fieldsAsRaw: rawFields }) as Doc;
}

/** MongoDB's limit for a document that is not stored, such as a command: a stored one, and fields around it. */
export const MAX_ENCODED_BYTES = 16 * 1024 * 1024 + 16 * 1024;

/** Writes a document as BSON. @throws MongoError 10334 for one that is larger than a client takes. */
export function encode(doc: Doc): Buffer {
  const bytes = serializeWithin(doc);
  // The bson package writes into 17 MiB: what goes beyond is cut off, or a RangeError.
  if (!bytes || bytes.length > MAX_ENCODED_BYTES) throw tooLarge(doc);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function serializeWithin(doc: Doc): Uint8Array | undefined {
  try {
    return serialize(doc, { ignoreUndefined: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE') return undefined;
    throw error;
  }
}

function tooLarge(doc: Doc): MongoError {
  const size = calculateObjectSize(doc, { ignoreUndefined: true });
  const text = `Serializing Document failed :: caused by :: Size ${size} exceeds maximum ${MAX_ENCODED_BYTES}`;
  return new MongoError(10334, 'BSONObjectTooLarge', text);
}
