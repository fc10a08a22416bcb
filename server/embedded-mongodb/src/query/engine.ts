/** The database behind the wire: storage, catalog, cursors. Commands get it, and nothing else. */

import { BSONError } from 'bson';
import { damaged } from '../errors/embedded-mongodb-error.ts';
import { Memory } from '../limits/memory.ts';
import { Catalog } from '../storage/catalog.ts';
import { openDataDirectory } from '../storage/data-directory.ts';
import { DocumentWriter } from '../storage/document-writer.ts';
import type { Environment } from '../storage/environment.ts';
import { Cursors } from './cursors.ts';

export class Engine {
  readonly environment: Environment;
  readonly catalog: Catalog;
  readonly writer: DocumentWriter;
  readonly cursors: Cursors;
  /** What counts the memory that queries hold. */
  readonly memory = new Memory();
  readonly startedAt = Date.now();

  /** Opens a data directory. Fails with an EmbeddedMongodbError when that is not possible. */
  constructor(dataDir: string) {
    this.environment = openDataDirectory(dataDir);
    this.catalog = openCatalog(this.environment, dataDir);
    this.writer = new DocumentWriter(this.environment, this.catalog);
    this.cursors = new Cursors(this.environment);
  }

  /** Ends after the writes that wait. */
  async close(): Promise<void> {
    this.cursors.closeAll();
    await this.environment.close();
  }
}

/** @throws EmbeddedMongodbError where what stands there is no catalog any more */
function openCatalog(environment: Environment, dataDir: string): Catalog {
  try {
    return new Catalog(environment);
  } catch (error) {
    throw BSONError.isBSONError(error) ? damaged(dataDir, error.message) : error;
  }
}
