/** Stores documents and keeps every index in step with them. All of it inside write transactions only. */

import type { Doc } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { documentKeys } from '../index-key/document-keys.ts';
import { entryKey, entryPrefix, recordKey } from '../index-key/entry-key.ts';
import type { Catalog } from './catalog.ts';
import type { Collection, Index } from './collection.ts';
import { duplicateKey } from './duplicate-key.ts';
import type { Environment } from './environment.ts';
import { after } from './key-space.ts';

/** One entry of an index: its key without the record, and the values that it was made of. */
interface Entry {
  prefix: Buffer;
  values: unknown[];
}

interface IndexEntries {
  entries: Map<string, Entry>;
  multikey: boolean[];
}

export class DocumentWriter {
  readonly #environment: Environment;
  readonly #catalog: Catalog;

  constructor(environment: Environment, catalog: Catalog) {
    this.#environment = environment;
    this.#catalog = catalog;
  }

  /** Stores a new document. Fails with 11000 when its `_id` or a unique key is taken; then nothing is stored. */
  insert(collection: Collection, doc: Doc, raw: Buffer): void {
    const { records, room } = this.#environment;
    const record = recordKey(collection.id, doc._id);
    if (records.doesExist(record)) throw duplicateKey(collection, collection.indexes[0] as Index, [doc._id]);
    const plan = this.#planEntries(collection, undefined, doc, record);
    room.store(raw.length);
    records.putSync(record, raw);
    this.#apply(collection, plan, record);
    collection.count++;
    collection.bytes += raw.length;
    this.#catalog.touch(collection);
  }

  /** Replaces a stored document by a changed one of the same `_id`. Fails with 11000 as `insert` does. */
  replace(collection: Collection, record: Buffer, old: Doc, oldSize: number, doc: Doc, raw: Buffer): void {
    const plan = this.#planEntries(collection, old, doc, record);
    this.#environment.room.store(raw.length);
    this.#environment.records.putSync(record, raw);
    this.#apply(collection, plan, record);
    collection.bytes += raw.length - oldSize;
    this.#catalog.touch(collection);
  }

  /** Removes a stored document. */
  remove(collection: Collection, record: Buffer, old: Doc, oldSize: number): void {
    this.#apply(collection, this.#planEntries(collection, old, undefined, record), record);
    this.#environment.room.remove();
    this.#environment.records.removeSync(record);
    collection.count--;
    collection.bytes -= oldSize;
    this.#catalog.touch(collection);
  }

  /** Makes the entries of one index for one stored document: what building an index does for each. */
  addToIndex(collection: Collection, index: Index, doc: Doc, record: Buffer): void {
    const wanted = entriesOf(index, doc);
    const change = { index, add: [...wanted.entries.values()], drop: [], multikey: wanted.multikey };
    this.#checkEntries(collection, change, record);
    this.#apply(collection, [change], record);
  }

  /** Finds what has to change in each index, and checks the unique ones, before anything is written. */
  #planEntries(collection: Collection, old: Doc | undefined, doc: Doc | undefined, record: Buffer): Change[] {
    const planFor = (indexes: readonly Index[]): Change[] => {
      const changes: Change[] = [];
      for (const index of indexes) {
        const change = changeOf(index, old, doc);
        if (!change) continue;
        this.#checkEntries(collection, change, record);
        changes.push(change);
      }
      return changes;
    };
    const plan = planFor(collection.indexes);
    for (const build of this.#catalog.builds.of(collection)) {
      try {
        plan.push(...planFor(build.indexes));
      } catch (error) {
        if (!(error instanceof MongoError)) throw error;
        // As in MongoDB: an index that is not in use yet refuses nothing, and can't be built then.
        build.failure = error;
      }
    }
    return plan;
  }

  /** Their lengths first: LMDB does not even look for a key that is too long. */
  #checkEntries(collection: Collection, { index, add }: Change, record: Buffer): void {
    for (const entry of add) entryKey(entry.prefix, record, index.name);
    if (!index.unique) return;
    const own = record.subarray(4);
    for (const entry of add) {
      const range = this.#environment.entries.getKeys({ start: entry.prefix, end: after(entry.prefix) });
      for (const key of range) {
        if (own.equals(key.subarray(entry.prefix.length))) continue;
        throw duplicateKey(collection, index, entry.values);
      }
    }
  }

  #apply(collection: Collection, plan: Change[], record: Buffer): void {
    const { entries, room } = this.#environment;
    for (const { index, add, drop, multikey } of plan) {
      room.remove(drop.length);
      for (const entry of drop) entries.removeSync(entryKey(entry.prefix, record, index.name));
      for (const entry of add) {
        const key = entryKey(entry.prefix, record, index.name);
        const offset = Buffer.allocUnsafe(2);
        offset.writeUInt16BE(entry.prefix.length);
        room.store(offset.length);
        entries.putSync(key, offset);
      }
      this.#noteMultikey(collection, index, multikey);
    }
  }

  /** Remembers for good that an index holds arrays: the planner then combines fewer bounds. */
  #noteMultikey(collection: Collection, index: Index, multikey: boolean[]): void {
    let changed = false;
    for (let field = 0; field < multikey.length; field++) {
      if (!multikey[field] || index.multikey[field]) continue;
      index.multikey[field] = true;
      changed = true;
    }
    if (changed) this.#catalog.save(collection);
  }
}

interface Change {
  index: Index;
  add: Entry[];
  drop: Entry[];
  multikey: boolean[];
}

/** What has to change in an index when a document takes the place of another one, if anything has. */
function changeOf(index: Index, old: Doc | undefined, doc: Doc | undefined): Change | undefined {
  if (index.id === 0 || (old && doc && isUntouched(index, old, doc))) return undefined;
  const had = old ? entriesOf(index, old) : NO_ENTRIES;
  const wanted = doc ? entriesOf(index, doc) : NO_ENTRIES;
  const add: Entry[] = [];
  const drop: Entry[] = [];
  for (const [key, entry] of wanted.entries) if (!had.entries.has(key)) add.push(entry);
  for (const [key, entry] of had.entries) if (!wanted.entries.has(key)) drop.push(entry);
  if (add.length === 0 && drop.length === 0) return undefined;
  return { index, add, drop, multikey: wanted.multikey };
}

const NO_ENTRIES: IndexEntries = { entries: new Map(), multikey: [] };

/**
 * Whether a change can't have moved a document in an index: what an update leaves alone is the same value in both.
 * Most updates touch one field of many.
 */
const isUntouched = ({ covers, paths }: Index, old: Doc, doc: Doc): boolean =>
  covers === undefined &&
  paths.every(
    ([field = '']) => Object.hasOwn(old, field) === Object.hasOwn(doc, field) && old[field] === doc[field],
  );

/** The entries that a document has in an index, by their bytes. */
export function entriesOf(index: Index, doc: Doc): IndexEntries {
  if (index.covers && !index.covers(doc)) return NO_ENTRIES;
  const keys = documentKeys(doc, index.paths);
  if (index.sparse && !keys.present.includes(true)) return NO_ENTRIES;
  const entries = new Map<string, Entry>();
  for (const [i, values] of keys.tuples.entries()) {
    if (index.sparse && index.isSparseByKey && !keys.present[i]) continue;
    const prefix = entryPrefix(index.id, index.fields, values);
    entries.set(prefix.toString('latin1'), { prefix, values });
  }
  return { entries, multikey: keys.multikey };
}

/** Refuses a document that is too large to store. */
export function checkSize(raw: Uint8Array): void {
  if (raw.length <= MAX_DOCUMENT_BYTES) return;
  const message = `object to insert too large. size in bytes: ${raw.length}, max size: ${MAX_DOCUMENT_BYTES}`;
  throw new MongoError(10334, 'BSONObjectTooLarge', message);
}

/** MongoDB's limit for one document: 16 MiB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
