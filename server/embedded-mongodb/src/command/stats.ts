/** dbStats, collStats, validate. */
import { MongoError } from '../document/errors.ts';
import { checkCollection } from '../storage/check.ts';
import type { Command } from './command.ts';
import { readInteger } from './fields.ts';
import { collectionName, existingCollection } from './namespace.ts';

export const dbStats: Command = {
  fields: ['scale', 'freeStorage'],
  run({ engine, body, db }) {
    const scale = readInteger(body, 'scale', 1);
    const collections = engine.catalog.list(db);
    const objects = collections.reduce((sum, { count }) => sum + count, 0);
    const bytes = collections.reduce((sum, collection) => sum + collection.bytes, 0);
    return {
      db,
      collections: collections.length,
      views: 0,
      objects,
      avgObjSize: objects > 0 ? bytes / objects : 0,
      dataSize: bytes / scale,
      storageSize: bytes / scale,
      indexes: collections.reduce((sum, { indexes }) => sum + indexes.length, 0),
      indexSize: 0,
      totalSize: bytes / scale,
      scaleFactor: scale,
    };
  },
};

export const collStats: Command = {
  fields: ['scale'],
  run(call) {
    const scale = readInteger(call.body, 'scale', 1);
    const ns = `${call.db}.${collectionName(call)}`;
    const collection = existingCollection(call);
    const { count, bytes, indexes } = collection ?? { count: 0, bytes: 0, indexes: [] };
    return {
      ns,
      size: Math.floor(bytes / scale),
      count,
      ...(count > 0 ? { avgObjSize: Math.floor(bytes / count) } : {}),
      storageSize: Math.floor(bytes / scale),
      nindexes: indexes.length,
      indexSizes: Object.fromEntries(indexes.map(({ name }) => [name, 0])),
      totalIndexSize: 0,
      totalSize: Math.floor(bytes / scale),
      scaleFactor: scale,
      capped: false,
    };
  },
};

export const validate: Command = {
  fields: ['full'],
  refused: ['repair', 'metadata', 'checkBSONConformance', 'background'],
  run(call) {
    const ns = `${call.db}.${collectionName(call)}`;
    const collection = existingCollection(call);
    if (!collection)
      throw new MongoError(26, 'NamespaceNotFound', `Collection '${ns}' does not exist to validate.`);
    const { documents, entries, errors } = checkCollection(call.engine.environment, collection);
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
