import mongoose, { type Connection, type Model, Schema, type SchemaDefinition } from 'mongoose';
import { loadLaterBy } from '../platform/load-later.ts';

/** The fields of an index, `1` ascending or `-1` descending, and its options. */
export type Index = [
  fields: Record<string, 1 | -1>,
  options?: { unique?: true; sparse?: true; expireAfterSeconds?: number },
];

/**
 * Defines a collection: how its documents are cast, and its indexes. An unknown field is an error rather than
 * silently dropped.
 * @returns what makes the model on a connection, once
 */
export const defineModel =
  <T>(
    name: string,
    fields: SchemaDefinition,
    indexes: readonly Index[],
  ): ((connection: Connection) => Model<T>) =>
  (connection) => {
    const made = connection.models[name];
    if (made) return made as unknown as Model<T>;
    const schema = new Schema(fields, { strict: 'throw', versionKey: false, minimize: false, id: false });
    for (const [keys, options] of indexes) schema.index(keys, options);
    return connection.model(name, schema) as unknown as Model<T>;
  };

/** mongoose finds parts of itself with the first document of each kind. */
loadLaterBy(async () => {
  const schema = new Schema({ list: [String], parts: [{ of: String }], one: new Schema({ of: String }) });
  const OfEachKind = new mongoose.Mongoose().model('OfEachKind', schema);
  const value = { list: ['x'], parts: [{ of: 'x' }], one: { of: 'x' } };
  await new OfEachKind(value).validate();
  OfEachKind.hydrate({ _id: new mongoose.Types.ObjectId(), ...value }).toObject();
});
