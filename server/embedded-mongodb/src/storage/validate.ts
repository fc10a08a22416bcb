/** Verifies what is stored: each document readable, each index entry there, none too many, the counts right. */

import { decode } from '../bson/document.ts';
import { entryKey, recordKey } from '../index-key/entry-key.ts';
import type { Collection } from './collection.ts';
import { entriesOf } from './document-writer.ts';
import type { Environment } from './environment.ts';
import { idPrefix } from './id-key.ts';
import { after } from './key-space.ts';

export interface ValidateResult {
  documents: number;
  /** By index name. */
  entries: Record<string, number>;
  /** One line each; at most `MAX_ERRORS`. */
  errors: string[];
}

const MAX_ERRORS = 100;

/** How many documents are checked between two calls of `show`. */
const SHOWN_EACH = 1000;

/** Checks one collection. `show` is told how many documents have been looked at. */
export function validateCollection(
  environment: Environment,
  collection: Collection,
  show: (documents: number) => void = () => {},
): ValidateResult {
  const { records } = environment;
  const errors: string[] = [];
  const report = (text: string) => {
    if (errors.length < MAX_ERRORS) errors.push(`${collection.ns}: ${text}`);
  };
  const expected = new Map(collection.indexes.map((index) => [index.name, 0]));
  let documents = 0;
  let bytes = 0;
  const prefix = idPrefix(collection.id);
  const scan = environment.scan(records, prefix, after(prefix), false);
  while (scan.next()) {
    if (++documents % SHOWN_EACH === 0) show(documents);
    bytes += scan.value.length;
    try {
      const doc = decode(scan.value);
      const shown = JSON.stringify(doc._id);
      if (!recordKey(collection.id, doc._id).equals(scan.key))
        report(`the record of _id ${shown} has another key`);
      for (const index of collection.indexes) {
        if (index.id === 0) continue;
        const { entries, multikey } = entriesOf(index, doc);
        expected.set(index.name, (expected.get(index.name) ?? 0) + entries.size);
        for (const entry of entries.values()) {
          if (environment.entries.doesExist(entryKey(entry.prefix, scan.key, index.name))) continue;
          report(`index ${index.name} lacks an entry for _id ${shown}`);
        }
        if (multikey.some((isArray, i) => isArray && !index.multikey[i])) {
          report(`index ${index.name} does not know of the array in _id ${shown}`);
        }
      }
    } catch (error) {
      report(`an unreadable document: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const entries: Record<string, number> = {};
  for (const index of collection.indexes) {
    entries[index.name] =
      index.id === 0 ? documents : countEntries(environment, collection, index.id, report, index.name);
    if (index.id === 0 || entries[index.name] === expected.get(index.name)) continue;
    report(
      `index ${index.name} has ${entries[index.name]} entries, the documents make ${expected.get(index.name)}`,
    );
  }
  if (documents !== collection.count)
    report(`the count says ${collection.count}, there are ${documents} documents`);
  if (bytes !== collection.bytes)
    report(`the size says ${collection.bytes}, the documents have ${bytes} bytes`);
  environment.pauseScans();
  return { documents, entries, errors };
}

function countEntries(
  environment: Environment,
  collection: Collection,
  id: number,
  report: (text: string) => void,
  name: string,
): number {
  const prefix = idPrefix(id);
  const collectionPrefix = idPrefix(collection.id);
  const scan = environment.scan(environment.entries, prefix, after(prefix), false);
  let count = 0;
  while (scan.next()) {
    count++;
    const record = Buffer.concat([collectionPrefix, scan.key.subarray(scan.value.readUInt16BE(0))]);
    if (!environment.records.doesExist(record)) report(`index ${name} has an entry without a document`);
  }
  return count;
}
