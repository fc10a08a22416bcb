/** Databases and collections: list, create, drop, rename. */
import { Binary, Long } from 'bson';
import { type Doc, encode } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { DEFAULT_FIRST_BATCH, type DocumentStream } from '../query/cursors.ts';
import type { Collection } from '../storage/collection.ts';
import type { Command } from './command.ts';
import { readBoolean, readCount, readDoc, readString } from './fields.ts';
import { openCursor } from './find.ts';
import { checkCollectionName, collectionName, existingCollection } from './namespace.ts';

export const listDatabases: Command = {
  fields: ['filter', 'nameOnly', 'authorizedDatabases'],
  run({ engine, body, db }) {
    if (db !== 'admin') {
      throw new MongoError(13, 'Unauthorized', 'listDatabases may only be run against the admin database.');
    }
    const sizes = new Map<string, number>();
    for (const collection of engine.catalog.list()) {
      sizes.set(collection.db, (sizes.get(collection.db) ?? 0) + collection.bytes);
    }
    const matcher = compileMatch(readDoc(body, 'filter') ?? {});
    const nameOnly = readBoolean(body, 'nameOnly', false);
    const databases = [...sizes]
      .map(([name, size]) => ({ name, sizeOnDisk: Long.fromNumber(size), empty: false }))
      .filter((entry) => matcher(entry))
      .map((entry) => (nameOnly ? { name: entry.name } : entry));
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    if (nameOnly) return { databases };
    return {
      databases,
      totalSize: Long.fromNumber(total),
      totalSizeMb: Long.fromNumber(Math.floor(total / 2 ** 20)),
    };
  },
};

export const listCollections: Command = {
  fields: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run(call) {
    const { engine, body, db } = call;
    const matcher = compileMatch(readDoc(body, 'filter') ?? {});
    const nameOnly = readBoolean(body, 'nameOnly', false);
    const entries = engine.catalog
      .list(db)
      .map((collection) => describeCollection(collection))
      .filter((entry) => matcher(entry))
      .map((entry) => encode(nameOnly ? { name: entry.name, type: entry.type } : entry));
    const cursor = readDoc(body, 'cursor') ?? {};
    return openCursor(call, `${db}.$cmd.listCollections`, entries.values() as DocumentStream, {
      batchSize: readCount(cursor, 'batchSize', DEFAULT_FIRST_BATCH),
      singleBatch: false,
      neverTimesOut: false,
    });
  },
};

function describeCollection({ name, options, uuid }: Collection): Doc {
  return {
    name,
    type: 'collection',
    options,
    info: { readOnly: false, uuid: new Binary(uuid, Binary.SUBTYPE_UUID) },
    idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
  };
}

export const create: Command = {
  fields: ['idIndex'],
  refused: [
    'capped',
    'autoIndexId',
    'size',
    'max',
    'storageEngine',
    'validator',
    'validationLevel',
    'validationAction',
    'indexOptionDefaults',
    'viewOn',
    'pipeline',
    'collation',
    'timeseries',
    'expireAfterSeconds',
    'clusteredIndex',
    'changeStreamPreAndPostImages',
    'encryptedFields',
  ],
  async run(call) {
    const { engine, db } = call;
    const name = collectionName(call);
    return engine.environment.write(() => {
      // Creating again with the same options is no error, and there are no options.
      engine.catalog.ensure(db, name);
      return {};
    });
  },
};

export const drop: Command = {
  fields: [],
  async run(call) {
    const { engine, db } = call;
    const ns = `${db}.${collectionName(call)}`;
    return engine.environment.write(() => {
      const collection = existingCollection(call);
      if (!collection) return {};
      engine.catalog.drop(collection);
      return { nIndexesWas: collection.indexes.length, ns };
    });
  },
};

export const dropDatabase: Command = {
  fields: [],
  async run({ engine, db }) {
    return engine.environment.write(() => {
      for (const collection of engine.catalog.list(db)) engine.catalog.drop(collection);
      return { dropped: db };
    });
  },
};

export const renameCollection: Command = {
  fields: ['to', 'dropTarget'],
  async run({ engine, body, db }) {
    if (db !== 'admin')
      throw new MongoError(
        13,
        'Unauthorized',
        'renameCollection may only be run against the admin database.',
      );
    const from = readString(body, 'renameCollection') ?? '';
    const to = readString(body, 'to') ?? '';
    const [toDb, toName] = splitNamespace(to);
    checkCollectionName(toDb, toName);
    return engine.environment.write(() => {
      const source = engine.catalog.get(from);
      if (!source) throw new MongoError(26, 'NamespaceNotFound', `Source collection ${from} does not exist`);
      if (from === to) throw new MongoError(20, 'IllegalOperation', "Can't rename a collection to itself");
      const target = engine.catalog.get(to);
      if (target && !readBoolean(body, 'dropTarget', false)) {
        throw new MongoError(48, 'NamespaceExists', 'target namespace exists');
      }
      if (target) engine.catalog.drop(target);
      engine.catalog.rename(source, toDb, toName);
      return {};
    });
  },
};

function splitNamespace(ns: string): [db: string, name: string] {
  const dot = ns.indexOf('.');
  if (dot <= 0) throw new MongoError(73, 'InvalidNamespace', `Invalid namespace specified '${ns}'`);
  return [ns.slice(0, dot), ns.slice(dot + 1)];
}
