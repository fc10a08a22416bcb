/**
 * The process that `checkDataDir` starts: reads a data directory, which may be damaged so that LMDB ends the process.
 * Says how far it is and what it found by messages.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { damaged, EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import { Catalog } from './catalog.ts';
import { type CheckMessage, EXIT_DAMAGED, EXIT_ERRORS } from './check-process.ts';
import { openDataDirectory } from './data-directory.ts';
import { endWithParent } from './end-with-parent.ts';
import { actAsOwnerOf } from './owner.ts';
import { lookAtTrees } from './page-tree.ts';
import { validateCollection } from './validate.ts';

const dataDir = process.argv[2] ?? '';
endWithParent();
actAsOwnerOf(dataDir);
const send = (message: CheckMessage) => process.send?.(message);

try {
  if (!existsSync(join(dataDir, 'data.mdb'))) {
    throw new EmbeddedMongodbError('FORMAT', `there is no embedded database in ${dataDir}`);
  }
  const environment = openDataDirectory(dataDir);
  // Where something is wrong that is read, it comes to light below.
  if (lookAtTrees(join(dataDir, 'data.mdb'), Number.POSITIVE_INFINITY, true) === 'unsafe')
    throw damaged(dataDir);
  const collections = new Catalog(environment).list();
  const results = collections.map((collection) =>
    validateCollection(environment, collection, (documents) => send({ ns: collection.ns, documents })),
  );
  const errors = results.flatMap((result) => result.errors);
  send({
    collections: collections.length,
    documents: results.reduce((sum, { documents }) => sum + documents, 0),
    errors,
  });
  if (errors.length > 0) process.exitCode = EXIT_ERRORS;
  await environment.close();
} catch (error) {
  const how = error instanceof Error ? error.message : String(error);
  const { code, message } = error instanceof EmbeddedMongodbError ? error : damaged(dataDir, how);
  send({ code, message });
  process.exitCode = code === 'DAMAGED' ? EXIT_DAMAGED : 1;
}
