import mongoose from 'mongoose';
import { onTestFinished } from 'vitest';

/**
 * Keeps what stands in the database of servers, as mongodump does.
 * @returns what puts it back, as mongorestore does
 */
export const dumped = async (settings: Record<string, string>): Promise<() => Promise<void>> => {
  const client = await mongoose.mongo.MongoClient.connect(settings.MONGODB_URL ?? '');
  onTestFinished(() => client.close());
  const all = async () => client.db().collections();
  const kept = new Map<string, mongoose.mongo.BSON.Document[]>();
  for (const each of await all()) kept.set(each.collectionName, await each.find().toArray());
  return async () => {
    for (const each of await all()) {
      const documents = kept.get(each.collectionName) ?? [];
      // None is away for a moment: a server that looks for its own just then takes itself for a new one.
      await each.deleteMany({ _id: { $nin: documents.map(({ _id }) => _id) } });
      for (const document of documents)
        await each.replaceOne({ _id: document._id }, document, { upsert: true });
    }
  };
};
