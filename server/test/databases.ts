import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { inject } from 'vitest';
import { createModels } from '../src/models.ts';

/**
 * Databases on the MongoDB that the run uses, one for each who asks. One that was given back is given out again, empty,
 * with its collections and the indexes of the models: to make these takes longer than most tests. The run drops all of them
 * at its end.
 */
const given: string[] = [];

/** The name of an empty database that is the caller's alone until it is given back. */
export const takeDatabase = async (): Promise<string> => {
  // The last one stays for a while: a process that was killed may have left a write on its way.
  const name = given.length > 1 ? given.shift() : undefined;
  if (name === undefined) return `${inject('databasePrefix')}${randomUUID().slice(0, 8)}`;
  const connection = await mongoose.createConnection(inject('mongodbUrl'), { dbName: name }).asPromise();
  const { db } = connection;
  const collections = (await db?.collections()) ?? [];
  await Promise.all(collections.map((collection) => collection.deleteMany({})));
  const there = new Set(collections.map(({ collectionName }) => collectionName));
  const models = Object.values(createModels(connection)).filter(({ collection }) =>
    there.has(collection.name),
  );
  // What a test has made beside them would be there for the next.
  await Promise.all(models.map((model) => model.cleanIndexes()));
  await connection.close();
  return name;
};

/** Gives a database back that nothing uses any more. */
export const giveBackDatabase = (name: string): void => {
  given.push(name);
};
