/** Names of collections. */
import { MongoError, refused } from '../errors/mongo-error.ts';
import type { Collection } from '../storage/collection.ts';
import type { CommandCall } from './command.ts';
import { readCollection } from './fields.ts';

/** MongoDB's limit for `db.collection`. */
const MAX_NAMESPACE_BYTES = 255;

/** Checks the name of a collection. */
export function checkCollectionName(db: string, name: string): void {
  if (name === '' || name.includes('\0') || name.includes('$') || name.startsWith('.')) {
    throw new MongoError(73, 'InvalidNamespace', `Invalid namespace specified '${db}.${name}'`);
  }
  if (name.startsWith('system.')) {
    throw refused(`the system collection ${db}.${name}`);
  }
  if (Buffer.byteLength(`${db}.${name}`) > MAX_NAMESPACE_BYTES) {
    throw new MongoError(73, 'InvalidNamespace', `Fully qualified namespace is too long: '${db}.${name}'`);
  }
}

/** The name of the collection that a command is about, checked. */
export function collectionName(call: CommandCall): string {
  const name = readCollection(call.body, call.name);
  checkCollectionName(call.db, name);
  return name;
}

/** The collection that a command is about, if it exists. */
export function existingCollection(call: CommandCall): Collection | undefined {
  return call.engine.catalog.get(`${call.db}.${collectionName(call)}`);
}

/** The same, made when it does not exist. Inside a write transaction. */
export function ensuredCollection(call: CommandCall): Collection {
  return call.engine.catalog.ensure(call.db, collectionName(call));
}
