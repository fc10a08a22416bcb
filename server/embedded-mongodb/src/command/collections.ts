/** Databases and collections: list, create, drop, rename. */
import { Binary, Long } from 'bson';
import { type Doc, encode } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import { badValue, MongoError, mongoError } from '../errors/mongo-error.ts';
import type { NewIndex } from '../index-key/index-spec.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { DEFAULT_FIRST_BATCH, type DocumentStream } from '../query/cursors.ts';
import type { Collection } from '../storage/collection.ts';
import type { Command } from './command.ts';
import {
  anyValue,
  array,
  bool,
  flag,
  given,
  givenBool,
  number,
  object,
  requiredString,
  string,
} from './field-types.ts';
import { missingField, readBoolean, readCount, readDoc, readString, wrongType } from './fields.ts';
import { openCursor } from './find.ts';
import { readIndexRequest } from './index-request.ts';
import { checkCollectionName, collectionName, existingCollection } from './namespace.ts';

export const listDatabases: Command = {
  fields: { filter: object, nameOnly: bool, authorizedDatabases: bool },
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
  fields: { filter: object, nameOnly: bool, authorizedCollections: bool, cursor: object },
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
  fields: { idIndex: object },
  refused: {
    capped: flag,
    autoIndexId: flag,
    size: number,
    max: number,
    storageEngine: object,
    validator: object,
    validationLevel: string,
    validationAction: string,
    indexOptionDefaults: object,
    viewOn: string,
    pipeline: array,
    collation: object,
    timeseries: object,
    expireAfterSeconds: anyValue,
    clusteredIndex: given,
    changeStreamPreAndPostImages: object,
    encryptedFields: object,
  },
  isWrite: true,
  async run(call) {
    const { engine, db } = call;
    const name = collectionName(call);
    const idIndex = readDoc(call.body, 'idIndex');
    if (idIndex && !isIdIndex(readIndexRequest(idIndex))) {
      throw badValue("The field 'key' for an _id index must be {_id: 1}");
    }
    return engine.environment.write(() => {
      // Creating again with the same options is no error, and there are no options.
      engine.catalog.ensure(db, name);
      return {};
    });
  },
};

function isIdIndex({ key }: NewIndex): boolean {
  return Object.keys(key).length === 1 && Object.hasOwn(key, '_id');
}

export const drop: Command = {
  fields: {},
  isWrite: true,
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
  fields: {},
  isWrite: true,
  async run({ engine, body, db }) {
    const { dropDatabase: asked } = body;
    if (asked === null) throw missingField('dropDatabase.dropDatabase');
    const number = toNumber(asked);
    if (number === undefined) throw wrongType('dropDatabase.dropDatabase', asked, 'int');
    if (Math.trunc(number) !== 1) throw mongoError(5255100, "Have to pass 1 as 'drop' parameter");
    return engine.environment.write(() => {
      for (const collection of engine.catalog.list(db)) engine.catalog.drop(collection);
      return { dropped: db };
    });
  },
};

export const renameCollection: Command = {
  fields: { to: requiredString, dropTarget: givenBool },
  isWrite: true,
  async run({ engine, body, db }) {
    if (db !== 'admin')
      throw new MongoError(
        13,
        'Unauthorized',
        'renameCollection may only be run against the admin database.',
      );
    const from = readString(body, 'renameCollection');
    if (from === undefined) throw missingField('renameCollection.renameCollection');
    const to = readString(body, 'to');
    if (to === undefined) throw missingField('renameCollection.to');
    splitNamespace(from);
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
