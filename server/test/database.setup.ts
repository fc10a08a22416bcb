import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The database of this run, without a database name. */
    mongodbUrl: string;
    /** What the names of the run's databases begin with. */
    databasePrefix: string;
    /** Whether MONGODB_URL named it, so that server processes of the tests are to use it too. */
    isRealMongodb: boolean;
  }
}

const dropAll = async (url: string, prefix: string): Promise<void> => {
  const connection = await mongoose.createConnection(url).asPromise();
  const client = connection.getClient();
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
  await connection.close();
};

/** Opens the database that every test of the run uses: MONGODB_URL's, else an embedded one of its own. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const given = process.env.MONGODB_URL;
  const prefix = `parlor_test_${randomUUID().slice(0, 8)}_`;
  project.provide('databasePrefix', prefix);
  if (given) {
    project.provide('mongodbUrl', given);
    project.provide('isRealMongodb', true);
    return () => dropAll(given, prefix);
  }
  const { openEmbeddedMongodb } = await import('@parlor/embedded-mongodb');
  const dataDir = await mkdtemp(join(tmpdir(), 'parlor-test-'));
  const embedded = await openEmbeddedMongodb({ dataDir });
  project.provide('mongodbUrl', embedded.url);
  project.provide('isRealMongodb', false);
  return async () => {
    await embedded.close();
    await rm(dataDir, { recursive: true, force: true });
  };
};
