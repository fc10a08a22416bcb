/** The stored keys: of a document's record (its `_id`), and of a document's entries in an index. */
import { MongoError } from '../errors/mongo-error.ts';
import type { IndexField } from './index-spec.ts';
import { KeyWriter } from './key-writer.ts';
import { writeValue } from './value-key.ts';

/** LMDB takes keys of up to 1 978 bytes on pages of 4 KB, which every platform has at least. */
export const MAX_KEY_BYTES = 1978;

const writer = new KeyWriter();

/** The key of a record: the collection's number, then the `_id` in its ordered encoding. */
export function recordKey(collectionId: number, id: unknown): Buffer {
  writer.truncate(0);
  writer.uint32(collectionId);
  writeValue(writer, id);
  return checkedKey('_id');
}

/** The prefix of all entries of an index with these leading values. */
export function entryPrefix(
  indexId: number,
  fields: readonly IndexField[],
  values: readonly unknown[],
): Buffer {
  writer.truncate(0);
  writer.uint32(indexId);
  for (let i = 0; i < values.length; i++) writeField(writer, values[i], (fields[i] as IndexField).descending);
  return writer.take();
}

/** An index entry's key (`prefix` from `entryPrefix` for all fields) for the record that `record` names. */
export function entryKey(prefix: Buffer, record: Buffer, indexName: string): Buffer {
  writer.truncate(0);
  writer.raw(prefix);
  writer.raw(record.subarray(4));
  return checkedKey(indexName);
}

/** The encoding of one value alone, in ascending order. */
export function encodeValue(value: unknown): Buffer {
  writer.truncate(0);
  writeValue(writer, value);
  return writer.take();
}

function writeField(out: KeyWriter, value: unknown, descending: boolean): void {
  const start = out.length;
  writeValue(out, value);
  if (descending) out.invertFrom(start);
}

function checkedKey(name: string): Buffer {
  if (writer.length > MAX_KEY_BYTES) {
    throw new MongoError(
      17280,
      'KeyTooLong',
      `the embedded database does not index values this long: index ${name}, ${writer.length} bytes of at most ${MAX_KEY_BYTES}`,
    );
  }
  return writer.take();
}
