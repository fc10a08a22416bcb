import { mongo } from 'mongoose';
import type { Services } from '../src/compose.ts';

/** The collections of the database, whoever made them. */
export const allCollections = async ({ connection }: Pick<Services, 'connection'>) => {
  const { db } = connection;
  if (!db) throw new Error('the connection is closed');
  const collections = await db.collections();
  return collections.filter(({ collectionName }) => !collectionName.startsWith('system.'));
};

/** Every document of the database in which a text stands, with its collection's name. */
export const documentsWith = async (
  services: Pick<Services, 'connection'>,
  text: string | RegExp,
): Promise<string[]> => {
  const found: string[] = [];
  for (const collection of await allCollections(services)) {
    for await (const document of collection.find()) {
      const json = mongo.BSON.EJSON.stringify(document);
      if (json.search(text) !== -1) found.push(`${collection.collectionName} ${json}`);
    }
  }
  return found;
};
