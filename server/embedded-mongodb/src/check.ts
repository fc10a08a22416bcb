/** Verifies a whole data directory: every document against every index. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedMongodbError } from './error.ts';
import { Catalog } from './storage/catalog.ts';
import { checkCollection } from './storage/check.ts';
import { claimDirectory } from './storage/claim.ts';

export interface DataDirCheck {
  collections: number;
  documents: number;
  /** One line for each thing that is wrong, with the collection's name. */
  errors: string[];
}

/**
 * Checks the data directory, which must not be open anywhere. Blocks until it is done; `show` is told how far it is.
 * Fails with an EmbeddedMongodbError when there is no database or it can't be opened.
 */
export function checkDataDir(
  dataDir: string,
  show: (ns: string, documents: number) => void = () => {},
): DataDirCheck {
  if (!existsSync(join(dataDir, 'data.mdb'))) {
    throw new EmbeddedMongodbError('FORMAT', `there is no embedded database in ${dataDir}`);
  }
  const environment = claimDirectory(dataDir);
  try {
    const collections = new Catalog(environment).list();
    const results = collections.map((collection) =>
      checkCollection(environment, collection, (documents) => show(collection.ns, documents)),
    );
    return {
      collections: collections.length,
      documents: results.reduce((sum, { documents }) => sum + documents, 0),
      errors: results.flatMap(({ errors }) => errors),
    };
  } finally {
    void environment.close();
  }
}
