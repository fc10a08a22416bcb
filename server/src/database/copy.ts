import { createHash } from 'node:crypto';
import { mongo } from 'mongoose';
import { newUuid } from '../platform/ids.ts';
import { COPY_MARKER } from './copy-marker.ts';
import { refusalText } from './refused.ts';

/** The copy can't be made; the text is one clear line. */
export class CopyError extends Error {
  override name = 'CopyError';
}

/** How much was copied. */
export interface Copied {
  collections: number;
  documents: number;
  indexes: number;
}

type Document = Record<string, unknown>;

/** Documents of all BSON types come out of these as they went in: `1` stays an int32 or a double. */
const EXACT = { promoteValues: false, bsonRegExp: true } as const;

/** What one insert carries at most; the driver would cut what is larger, and a kill should cost little. */
const BATCH_DOCUMENTS = 1000;
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Copies every collection with its options and indexes into an empty database, or goes on with an interrupted copy of the same
 * `from`, and verifies each by count and hash of its documents' bytes. Documents are inserted in the order of `_id`: what an
 * interrupted copy left is a beginning of the source, or else the collection is copied anew.
 * @throws CopyError when the target holds anything else, verification fails, or another copy is begun.
 */
export const copyDatabase = async (
  source: mongo.Db,
  target: mongo.Db,
  from: string,
  show: (state: string) => void,
): Promise<Copied> => {
  const collections = await listCollections(source);
  if (collections.length === 0) throw new CopyError(EMPTY_SOURCE);
  const claim = await claimTarget(target, from);
  const copied = await copyCollections(source, target, collections, claim, show).catch(async (error) => {
    // What another copy has done to the target may be why.
    await claim.check().catch((other) => {
      throw other instanceof CopyError ? other : error;
    });
    throw error;
  });
  await claim.check();
  await target.dropCollection(COPY_MARKER);
  return copied;
};

export const EMPTY_SOURCE = 'there is nothing to copy: the source is empty';

/** Whether a database has no collection. */
export const isEmpty = async (source: mongo.Db): Promise<boolean> =>
  (await listCollections(source)).length === 0;

const copyCollections = async (
  source: mongo.Db,
  target: mongo.Db,
  collections: readonly CollectionInfo[],
  claim: Claim,
  show: (state: string) => void,
): Promise<Copied> => {
  await dropOthers(target, new Set(collections.map(({ name }) => name)), claim);
  const copied: Copied = { collections: 0, documents: 0, indexes: 0 };
  for (const { name, options } of collections) {
    const total = await source.collection(name).estimatedDocumentCount();
    const state = (n: number, what = 'copied') =>
      show(
        `${name} (${copied.collections + 1} of ${collections.length}): ${n} of ${total} documents ${what}`,
      );
    const there = await target.listCollections({ name }, { nameOnly: true }).toArray();
    if (there.length === 0) await target.command({ create: name, ...options });
    const pair = { from: source.collection(name), to: target.collection(name), claim };
    const sent = await copyDocuments(pair, (n) => state(n));
    await verifyDocuments(target, name, sent, (n) => state(n, 'verified'));
    copied.documents += sent.count;
    copied.collections++;
  }
  // The indexes come last: a TTL index would have expired documents removed before they are verified.
  for (const { name } of collections) {
    show(`${name}: indexes`);
    await claim.check();
    copied.indexes += await copyIndexes(source, target, name);
  }
  return copied;
};

interface CollectionInfo {
  name: string;
  options: Document;
}

const listCollections = async (db: mongo.Db): Promise<CollectionInfo[]> => {
  const found = await db.listCollections({}, EXACT as mongo.ListCollectionsOptions).toArray();
  const own = found.filter(({ name }) => !name.startsWith('system.'));
  for (const { name, type } of own) {
    if (name === COPY_MARKER) throw new CopyError('the source is itself a copy that was not finished');
    if (type !== 'collection') throw new CopyError(`${name} is a ${type}, which can't be copied`);
  }
  const named = own.map(({ name, ...info }) => ({ name, options: optionsOf(info as Document) }));
  return named.sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** What `create` takes: what is there by itself, such as a collection's uuid, is not an option. */
const optionsOf = ({ options }: Document): Document => {
  const { uuid: _uuid, autoIndexId: _auto, ...rest } = (options ?? {}) as Document;
  return rest;
};

interface Marker {
  _id: string;
  /** The copy that was begun last: earlier ones end. */
  run?: string;
}

/** The right to write into the target. */
interface Claim {
  /** To be asked before each write. @throws CopyError when another copy has been begun since */
  check(): Promise<void>;
}

const claimTarget = async (target: mongo.Db, from: string): Promise<Claim> => {
  const marker = target.collection<Marker>(COPY_MARKER);
  const own = { _id: from, run: newUuid() };
  const check = async (): Promise<void> => {
    if (await marker.findOne(own)) return;
    const name = target.databaseName;
    throw new CopyError(`another copy into ${name} was begun after this one, which ends`);
  };
  const [begun] = await marker.find().toArray();
  if (begun?._id === from) {
    await marker.updateOne({ _id: from }, { $set: own });
    return { check };
  }
  if (begun) throw new CopyError(`a copy of ${begun._id} was begun in the target, which is not ${from}`);
  const held = await target.listCollections({}, { nameOnly: true }).toArray();
  const [first] = held.filter(({ name }) => name !== COPY_MARKER && !name.startsWith('system.'));
  if (first) {
    throw new CopyError(
      `the target database ${target.databaseName} is not empty (it holds ${first.name}): ` +
        'name another one in the URL, or drop it first',
    );
  }
  await marker.insertOne(own);
  return { check };
};

/** Removes what the source has no more since the copy was begun. */
const dropOthers = async (target: mongo.Db, wanted: ReadonlySet<string>, claim: Claim): Promise<void> => {
  await claim.check();
  for (const { name } of await target.listCollections({}, { nameOnly: true }).toArray()) {
    const isOurs = wanted.has(name) || name === COPY_MARKER || name.startsWith('system.');
    if (!isOurs) await target.dropCollection(name);
  }
};

/** What a collection holds, in short. */
interface Summary {
  count: number;
  hash: string;
}

const inOrder = (collection: mongo.Collection): mongo.FindCursor<Buffer> =>
  collection
    .find({}, { raw: true, batchSize: BATCH_DOCUMENTS })
    .sort({ _id: 1 }) as unknown as mongo.FindCursor<Buffer>;

const copyDocuments = async (
  pair: { from: mongo.Collection; to: mongo.Collection; claim: Claim },
  show: (count: number) => void,
): Promise<Summary> => {
  const { from, to, claim } = pair;
  const documents = inOrder(from);
  const hash = createHash('sha256');
  let count = 0;
  const take = async (): Promise<Buffer | null> => {
    const raw = await documents.next();
    if (raw) {
      hash.update(raw);
      show(++count);
    }
    return raw;
  };
  for await (const left of inOrder(to)) {
    const raw = await take();
    if (raw && Buffer.compare(raw, left) === 0) continue;
    await documents.close();
    await claim.check();
    await to.deleteMany({});
    return copyDocuments(pair, show);
  }
  let batch: Document[] = [];
  let bytes = 0;
  const flush = async () => {
    await claim.check();
    // The driver would make a new _id for one that is null.
    const options = { ordered: true, forceServerObjectId: true };
    if (batch.length > 0) await to.insertMany(batch, options).catch((error) => notTaken(to, error));
    batch = [];
    bytes = 0;
  };
  for (let raw = await take(); raw; raw = await take()) {
    batch.push(mongo.BSON.deserialize(raw, EXACT));
    bytes += raw.length;
    if (batch.length >= BATCH_DOCUMENTS || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
  return { count, hash: hash.digest('hex') };
};

/** @throws CopyError where the target is there and does not take a document, which may close its connection; else `error` */
const notTaken = async (to: mongo.Collection, error: Error): Promise<never> => {
  const isThere = await to.findOne({}, { projection: { _id: 1 } }).then(
    () => true,
    () => false,
  );
  if (!isThere) throw error;
  throw new CopyError(`the target does not take what ${to.collectionName} holds: ${refusalText(error)}`);
};

const verifyDocuments = async (
  target: mongo.Db,
  name: string,
  sent: Summary,
  show: (count: number) => void,
): Promise<void> => {
  const hash = createHash('sha256');
  let count = 0;
  for await (const raw of inOrder(target.collection(name))) {
    hash.update(raw);
    show(++count);
  }
  if (count !== sent.count) {
    throw new CopyError(`${name} holds ${count} documents in the target, but ${sent.count} were copied`);
  }
  if (hash.digest('hex') !== sent.hash) throw new CopyError(`${name} differs from what was copied`);
};

const copyIndexes = async (source: mongo.Db, target: mongo.Db, name: string): Promise<number> => {
  const wanted = await indexesOf(source, name);
  const indexes = wanted.filter((index) => index.name !== '_id_');
  if (indexes.length > 0) await target.command({ createIndexes: name, indexes });
  const made = await indexesOf(target, name);
  const text = (all: Document[]) =>
    all.map((index) => JSON.stringify(Object.fromEntries(Object.entries(index).sort()))).sort();
  const [has, should] = [text(made), text(wanted)];
  const lacking = should.find((index, i) => index !== has[i]) ?? has[should.length];
  if (lacking) throw new CopyError(`the indexes of ${name} differ in the target: ${lacking}`);
  return wanted.length;
};

/** Without `v`, the version of a server's own format, and the simple collation, which is always meant. */
const indexesOf = async (db: mongo.Db, name: string): Promise<Document[]> => {
  const found = await db
    .collection(name)
    .listIndexes(EXACT as object)
    .toArray();
  return found.map(({ v: _v, ns: _ns, collation, ...index }) =>
    collation === undefined || collation.locale === 'simple' ? index : { ...index, collation },
  );
};
