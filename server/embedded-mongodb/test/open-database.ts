import { join } from 'node:path';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, beforeAll } from 'vitest';
import { type EmbeddedMongodb, openEmbeddedMongodb } from '../dist/index.js';
import { temporaryFolder } from './bin-process.ts';

/**
 * A database of the test file's own, opened before its tests and gone after them.
 * @returns a client that is connected to it and its URL, from the next `beforeAll` on, and a folder that goes with it
 */
export const useDatabase = (options?: MongoClientOptions) => {
  const folder = temporaryFolder();
  let database: EmbeddedMongodb;
  let client: MongoClient;
  beforeAll(async () => {
    database = await openEmbeddedMongodb({ dataDir: join(folder.path, 'data') });
    client = await MongoClient.connect(database.url, options);
  });
  afterAll(async () => {
    await client?.close();
    await database?.close();
    folder.remove();
  });
  return {
    folder: folder.path,
    get client(): MongoClient {
      return client;
    },
    get url(): string {
      return database.url;
    },
  };
};
