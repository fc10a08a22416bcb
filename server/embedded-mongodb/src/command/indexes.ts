/** createIndexes, listIndexes, dropIndexes. */

import { type Doc, decode, encode } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { recordKey } from '../index-key/entry-key.ts';
import { isHinted } from '../planner/hint.ts';
import { DEFAULT_FIRST_BATCH, type DocumentStream } from '../query/cursors.ts';
import type { Engine } from '../query/engine.ts';
import type { Collection, Index } from '../storage/collection.ts';
import { after } from '../storage/key-space.ts';
import type { Command, CommandCall } from './command.ts';
import { anyValue, flag, indexNames, object, requiredArray } from './field-types.ts';
import { missingField, readArray, readCount, readDoc } from './fields.ts';
import { openCursor } from './find.ts';
import { type IndexRequest, isEquivalent, readIndexRequest, sameExpiry } from './index-request.ts';
import { collectionName, ensuredCollection, existingCollection } from './namespace.ts';

export const createIndexes: Command = {
  fields: { indexes: requiredArray, ignoreUnknownIndexOptions: flag },
  refused: { commitQuorum: anyValue },
  isWrite: true,
  async run(call) {
    const { engine, body, db } = call;
    const name = collectionName(call);
    const requested = readArray(body, 'indexes');
    if (!requested) throw missingField('createIndexes.indexes');
    if (requested.length === 0) {
      throw new MongoError(2, 'BadValue', 'Must specify at least one index to create');
    }
    const requests = requested.map((spec) => readIndexRequest(spec));
    return engine.environment.write(() => {
      const createdCollectionAutomatically = engine.catalog.get(`${db}.${name}`) === undefined;
      const collection = ensuredCollection(call);
      const numIndexesBefore = collection.indexes.length;
      const built: Index[] = [];
      try {
        for (const request of requests) {
          refuseTwice(built, request);
          if (!isThere(collection, request)) built.push(buildIndex(engine, collection, request));
        }
      } catch (error) {
        // All of the indexes are made, or none.
        for (const index of built) engine.catalog.dropIndex(collection, index);
        throw error;
      }
      return {
        numIndexesBefore,
        numIndexesAfter: collection.indexes.length,
        ...(built.length === 0 ? { note: 'all indexes already exist' } : { createdCollectionAutomatically }),
      };
    });
  },
};

/** To MongoDB an index that is asked for twice at once fails, unless it was there before. */
function refuseTwice(built: readonly Index[], request: IndexRequest): void {
  const isAgain = (index: Index) =>
    index.name === request.name && isEquivalent(index, request) && sameExpiry(index, request);
  if (!built.some(isAgain)) return;
  throw new MongoError(96, 'OperationFailed', `Index build failed: Identical index: ${request.name}`);
}

/** Whether the collection has this very index. Fails when it has another one of the same name, or the same twice. */
function isThere({ indexes }: Collection, request: IndexRequest): boolean {
  const named = indexes.find(({ name }) => name === request.name);
  const same = named ?? indexes.find((index) => isEquivalent(index, request));
  if (!same) return false;
  if (!isEquivalent(same, request)) {
    const text =
      'An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation.';
    throw new MongoError(86, 'IndexKeySpecsConflict', `${text} ${bothOf(same, request)}`);
  }
  if (sameExpiry(same, request)) {
    if (named || same.id === 0) return true;
    const text = `Index already exists with a different name: ${same.name}`;
    throw new MongoError(85, 'IndexOptionsConflict', text);
  }
  const how = named ? 'the same name but different options' : 'a different name and options';
  const text = `An equivalent index already exists with ${how}. ${bothOf(same, request)}`;
  throw new MongoError(85, 'IndexOptionsConflict', text);
}

function bothOf(index: Index, request: IndexRequest): string {
  const [requested, existing] = [describeRequest(request), describeIndex(index)].map((one) =>
    JSON.stringify(one),
  );
  return `Requested index: ${requested}, existing index: ${existing}`;
}

function buildIndex(engine: Engine, collection: Collection, request: IndexRequest): Index {
  const index = engine.catalog.addIndex(collection, request);
  try {
    const prefix = recordKey(collection.id, 0).subarray(0, 4);
    const scan = engine.environment.scan(engine.environment.records, prefix, after(prefix), false);
    while (scan.next()) engine.writer.addToIndex(collection, index, decode(scan.value), scan.key);
  } catch (error) {
    engine.catalog.dropIndex(collection, index);
    throw error;
  }
  return index;
}

function describeRequest({ key, name, unique, sparse }: IndexRequest): Doc {
  return { v: 2, ...(unique ? { unique } : {}), key, name, ...(sparse ? { sparse } : {}) };
}

/** An index as listIndexes shows it. */
export function describeIndex(index: Index): Doc {
  return {
    v: 2,
    key: index.key,
    name: index.name,
    ...(index.unique && index.id !== 0 ? { unique: true } : {}),
    ...(index.sparse ? { sparse: true } : {}),
    ...(index.partialFilterExpression ? { partialFilterExpression: index.partialFilterExpression } : {}),
    ...(index.expireAfterSeconds === undefined ? {} : { expireAfterSeconds: index.expireAfterSeconds }),
  };
}

export const listIndexes: Command = {
  fields: { cursor: object },
  refused: { includeBuildUUIDs: flag, includeIndexBuildInfo: flag },
  run(call) {
    const ns = `${call.db}.${collectionName(call)}`;
    const collection = existingCollection(call);
    if (!collection) throw new MongoError(26, 'NamespaceNotFound', `ns does not exist: ${ns}`);
    const entries = collection.indexes.map((index) => encode(describeIndex(index)));
    const cursor = readDoc(call.body, 'cursor') ?? {};
    return openCursor(call, ns, entries.values() as DocumentStream, {
      batchSize: readCount(cursor, 'batchSize', DEFAULT_FIRST_BATCH),
      singleBatch: false,
      neverTimesOut: false,
    });
  },
};

export const dropIndexes: Command = {
  fields: { index: indexNames },
  isWrite: true,
  async run(call) {
    const { engine, body, db } = call;
    const ns = `${db}.${collectionName(call)}`;
    if (body.index === undefined) throw missingField('dropIndexes.index');
    return engine.environment.write(() => {
      const collection = existingCollection(call);
      if (!collection) throw new MongoError(26, 'NamespaceNotFound', `ns not found ${ns}`);
      const nIndexesWas = collection.indexes.length;
      for (const index of namedIndexes(call, collection)) engine.catalog.dropIndex(collection, index);
      const msg = body.index === '*' ? { msg: 'non-_id indexes dropped for collection' } : {};
      return { nIndexesWas, ...msg };
    });
  },
};

function namedIndexes(call: CommandCall, collection: Collection): Index[] {
  const asked = call.body.index;
  if (asked === '*') return collection.indexes.filter((index) => index.id !== 0);
  const wanted = Array.isArray(asked) ? asked : [asked];
  return wanted.map((name) => {
    const [index, other] = collection.indexes.filter((candidate) => isHinted(candidate, name));
    const shown = typeof name === 'string' ? `with name [${name}]` : `with key: ${JSON.stringify(name)}`;
    if (!index) throw new MongoError(27, 'IndexNotFound', `index not found ${shown}`);
    if (other) {
      const text = `several indexes found ${shown}, identify by name instead: ${index.name}, ${other.name}`;
      throw new MongoError(181, 'AmbiguousIndexKeyPattern', text);
    }
    if (index.id === 0) throw new MongoError(72, 'InvalidOptions', 'cannot drop _id index');
    return index;
  });
}
