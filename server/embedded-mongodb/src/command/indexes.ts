/** createIndexes, listIndexes, dropIndexes. */

import { describeValue } from '../bson/describe-value.ts';
import { type Doc, encode } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import type { NewIndex } from '../index-key/index-spec.ts';
import { timeExpired } from '../limits/pace.ts';
import { isHinted } from '../planner/hint.ts';
import { DEFAULT_FIRST_BATCH, type DocumentStream } from '../query/cursors.ts';
import { aborted, beginBuild, finishBuild } from '../query/index-build.ts';
import { ID_INDEX, type Index } from '../storage/collection.ts';
import type { Command, CommandCall } from './command.ts';
import { anyValue, flag, indexNames, object, requiredArray } from './field-types.ts';
import { missingField, readArray, readCount, readDoc } from './fields.ts';
import { openCursor } from './find.ts';
import { isEquivalent, type KnownIndex, readIndexRequest, sameExpiry } from './index-request.ts';
import { collectionName, ensuredCollection, existingCollection } from './namespace.ts';

export const createIndexes: Command = {
  fields: { indexes: requiredArray, ignoreUnknownIndexOptions: flag },
  refused: { commitQuorum: anyValue },
  isWrite: true,
  async run(call) {
    const { engine, body, db } = call;
    const ns = `${db}.${collectionName(call)}`;
    const requested = readArray(body, 'indexes');
    if (!requested) throw missingField('createIndexes.indexes');
    if (requested.length === 0) {
      throw new MongoError(2, 'BadValue', 'Must specify at least one index to create');
    }
    const requests = requested.map((spec) => readIndexRequest(spec));
    for (;;) {
      const begun = await engine.environment.write(() => {
        const createdCollectionAutomatically = engine.catalog.get(ns) === undefined;
        const lacking = lackingOf(ns, engine.catalog.get(ns)?.indexes ?? [ID_INDEX], requests);
        const collection = ensuredCollection(call);
        const numIndexesBefore = collection.indexes.length;
        if (lacking.length === 0) {
          const note = 'all indexes already exist';
          return { answer: { numIndexesBefore, numIndexesAfter: numIndexesBefore, note } };
        }
        const [other] = engine.catalog.builds.of(collection);
        if (other) return { other };
        const numIndexesAfter = numIndexesBefore + lacking.length;
        const answer = { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically };
        return { answer, unfinished: beginBuild(engine, collection, lacking) };
      });
      if (begun.unfinished) await finishBuild(engine, begun.unfinished, call.deadline);
      if (begun.answer) return begun.answer;
      // Looked at anew when that one has ended: it may be the same.
      await begun.other.ended;
      if (performance.now() > call.deadline) throw timeExpired();
    }
  },
};

/** MongoDB's limit for the indexes of a collection, that of `_id` among them. */
const MAX_INDEXES = 64;

/** The indexes that are not there. Fails when one can't be beside those that are, or the others. */
function lackingOf(ns: string, indexes: readonly KnownIndex[], requests: readonly NewIndex[]): NewIndex[] {
  const lacking: NewIndex[] = [];
  for (const request of requests) {
    refuseTwice(lacking, request);
    const known = [...indexes, ...lacking];
    if (isThere(known, request)) continue;
    if (known.length >= MAX_INDEXES) {
      const text = `add index fails, too many indexes for ${ns} key:${describeValue(request.key)}`;
      throw new MongoError(67, 'CannotCreateIndex', text);
    }
    lacking.push(request);
  }
  return lacking;
}

/** To MongoDB an index that is asked for twice at once fails, unless it was there before. */
function refuseTwice(others: readonly NewIndex[], request: NewIndex): void {
  const isAgain = (index: NewIndex) =>
    index.name === request.name && isEquivalent(index, request) && sameExpiry(index, request);
  if (!others.some(isAgain)) return;
  throw new MongoError(96, 'OperationFailed', `Index build failed: Identical index: ${request.name}`);
}

/** Whether this very index is among them. Fails when another one of the same name is, or the same by another name. */
function isThere(indexes: readonly KnownIndex[], request: NewIndex): boolean {
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

function bothOf(index: KnownIndex, request: NewIndex): string {
  const [requested, existing] = [describeRequest(request), describeIndex(index)].map((one) =>
    JSON.stringify(one),
  );
  return `Requested index: ${requested}, existing index: ${existing}`;
}

function describeRequest({ key, name, unique, sparse }: NewIndex): Doc {
  return { v: 2, ...(unique ? { unique } : {}), key, name, ...(sparse ? { sparse } : {}) };
}

/** An index as listIndexes shows it. */
export function describeIndex(index: KnownIndex): Doc {
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
    const building = call.engine.catalog.builds.of(collection).flatMap(({ indexes }) => indexes);
    const entries = [...collection.indexes, ...building].map((index) => encode(describeIndex(index)));
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
      const builds = engine.catalog.builds.of(collection);
      const building = builds.flatMap(({ indexes }) => indexes);
      for (const index of namedIndexes(call, [...collection.indexes, ...building])) {
        const build = builds.find(({ indexes }) => indexes.includes(index));
        if (build) build.failure = aborted(`index '${index.name}' dropped`);
        else engine.catalog.dropIndex(collection, index);
      }
      const msg = body.index === '*' ? { msg: 'non-_id indexes dropped for collection' } : {};
      return { nIndexesWas, ...msg };
    });
  },
};

function namedIndexes(call: CommandCall, indexes: readonly Index[]): Index[] {
  const asked = call.body.index;
  if (asked === '*') return indexes.filter((index) => index.id !== 0);
  const wanted = Array.isArray(asked) ? asked : [asked];
  return wanted.map((name) => {
    const [index, other] = indexes.filter((candidate) => isHinted(candidate, name));
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
