import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The database of this run, without a database name. */
    mongodbUrl: string;
    /** Whether MONGODB_URL named it, so that server processes of the tests are to use it too. */
    isRealMongodb: boolean;
  }
}

/** Opens the database that every test of the run uses: MONGODB_URL's, else an embedded one of its own. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const given = process.env.MONGODB_URL;
  if (given) {
    project.provide('mongodbUrl', given);
    project.provide('isRealMongodb', true);
    return async () => undefined;
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
