import { type Connection, mongo } from 'mongoose';
import { mapCollections } from '../src/data-map.ts';
import { createModels } from '../src/models.ts';
import { allCollections } from './everything.ts';

/** The map of data with each collection's name in the database. */
const mapped = (connection: Connection) =>
  mapCollections(createModels(connection)).map(({ name, model, data }) => ({
    name,
    stored: model.collection.collectionName,
    erased: data.erased?.how,
    visitor: data.fields.visitor ?? [],
  }));

/**
 * The fields at the top of documents in which a text stands, by the map's names, such as `rooms.name`. A collection that is
 * not in the map has the name of the database.
 */
export const fieldsWith = async (connection: Connection, pattern: RegExp): Promise<string[]> => {
  const names = new Map(mapped(connection).map(({ name, stored }) => [stored, name]));
  const found = new Set<string>();
  for (const collection of await allCollections({ connection })) {
    const { collectionName } = collection;
    const name = names.get(collectionName) ?? collectionName;
    for await (const document of collection.find()) {
      for (const [field, value] of Object.entries(document)) {
        if (pattern.test(field) || pattern.test(mongo.BSON.EJSON.stringify({ value }))) {
          found.add(`${name}.${field}`);
        }
      }
    }
  }
  return [...found].sort();
};

/** The fields that the map calls the visitor's. */
export const visitorFields = (connection: Connection): string[] =>
  mapped(connection)
    .flatMap(({ name, visitor }) => visitor.map((field) => `${name}.${field}`))
    .sort();

/** Of such fields, those that the map does not have erased: neither the visitor's, nor of documents that go as a whole. */
export const unerased = (connection: Connection, fields: readonly string[]): string[] => {
  const goAsAWhole = mapped(connection).filter(({ erased }) => erased === 'deleted' || erased === 'buried');
  const known = new Set(visitorFields(connection));
  return fields.filter(
    (field) => !known.has(field) && !goAsAWhole.some(({ name }) => field.startsWith(`${name}.`)),
  );
};
