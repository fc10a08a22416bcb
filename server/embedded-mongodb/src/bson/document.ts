/** Reading and writing documents: one set of options for all of the engine. */
import { deserialize, serialize } from 'bson';

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

/** Writes a document as BSON. */
export function encode(doc: Doc): Buffer {
  const bytes = serialize(doc, { ignoreUndefined: true });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
