/** dbStats, collStats, validate. */

import type { Doc } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import type { Engine } from '../query/engine.ts';
import type { Collection } from '../storage/collection.ts';
import { indexBytes } from '../storage/sizes.ts';
import { validateCollection } from '../storage/validate.ts';
import type { Command } from './command.ts';
import { anyValue, flag, number } from './field-types.ts';
import { readInteger } from './fields.ts';
import { collectionName, existingCollection } from './namespace.ts';

export const dbStats: Command = {
  fields: { scale: number, freeStorage: flag },
  run({ engine, body, db }) {
    const scale = readScale(body);
    const collections = engine.catalog.list(db);
    const objects = collections.reduce((sum, { count }) => sum + count, 0);
    const bytes = collections.reduce((sum, collection) => sum + collection.bytes, 0);
    const sizes = collections.flatMap((collection) => Object.values(indexSizes(engine, collection)));
    const indexed = sizes.reduce((sum, size) => sum + size, 0);
    return {
      db,
      collections: collections.length,
      views: 0,
      objects,
      avgObjSize: objects > 0 ? bytes / objects : 0,
      dataSize: bytes / scale,
      storageSize: bytes / scale,
      indexes: sizes.length,
      indexSize: indexed / scale,
      totalSize: (bytes + indexed) / scale,
      scaleFactor: scale,
    };
  },
};

export const collStats: Command = {
  fields: { scale: number },
  run(call) {
    const ns = `${call.db}.${collectionName(call)}`;
    return { ns, ...storageStats(call.engine, existingCollection(call), readScale(call.body)) };
  },
};

/** The sizes of a collection, in units of `scale` bytes; all of them 0 when there is none. */
export function storageStats(engine: Engine, collection: Collection | undefined, scale: number): Doc {
  const { count, bytes } = collection ?? { count: 0, bytes: 0 };
  const scaled = (size: number) => Math.floor(size / scale);
  const sizes = collection ? indexSizes(engine, collection) : {};
  const indexed = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  const builds = collection ? engine.catalog.builds.of(collection) : [];
  const building = builds.flatMap(({ indexes }) => indexes);
  return {
    size: scaled(bytes),
    count,
    ...(count > 0 ? { avgObjSize: Math.floor(bytes / count) } : {}),
    numOrphanDocs: 0,
    storageSize: scaled(bytes),
    freeStorageSize: 0,
    capped: false,
    nindexes: Object.keys(sizes).length,
    indexBuilds: building.map(({ name }) => name),
    totalIndexSize: scaled(indexed),
    indexSizes: Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, scaled(size)])),
    totalSize: scaled(bytes + indexed),
    scaleFactor: scale,
  };
}

function indexSizes({ environment }: Engine, collection: Collection): Record<string, number> {
  const sizes = collection.indexes.map((index) => [index.name, indexBytes(environment, collection, index)]);
  return Object.fromEntries(sizes);
}

/** The unit of the sizes that are asked for, in bytes. */
export function readScale(body: Doc): number {
  const scale = readInteger(body, 'scale', 1);
  if (scale >= 1) return scale;
  throw new MongoError(2, 'BadValue', `BSON field 'scale' value must be >= 1, actual value '${scale}'`);
}

export const validate: Command = {
  fields: { full: anyValue },
  refused: { repair: anyValue, metadata: anyValue, checkBSONConformance: anyValue, background: anyValue },
  run(call) {
    const ns = `${call.db}.${collectionName(call)}`;
    const collection = existingCollection(call);
    if (!collection)
      throw new MongoError(26, 'NamespaceNotFound', `Collection '${ns}' does not exist to validate.`);
    const { documents, entries, errors } = validateCollection(call.engine.environment, collection);
    return {
      ns,
      nInvalidDocuments: 0,
      nNonCompliantDocuments: 0,
      nrecords: documents,
      nIndexes: collection.indexes.length,
      keysPerIndex: entries,
      valid: errors.length === 0,
      repaired: false,
      warnings: [],
      errors,
      extraIndexEntries: [],
      missingIndexEntries: [],
    };
  },
};
