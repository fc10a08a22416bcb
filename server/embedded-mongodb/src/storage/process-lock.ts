/** The directories that this process has open: the file lock only tells processes apart. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import { makeDirectory } from './make-directory.ts';

const opened = new Set<string>();

/** Takes a data directory for one opening in this process, making it when it is not there. */
export function lockInProcess(directory: string): { dataDir: string; release(): void } {
  let dataDir = resolve(directory);
  try {
    makeDirectory(dataDir);
    dataDir = realpathSync(dataDir);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedMongodbError('UNWRITABLE', `the data directory ${dataDir} can't be used: ${reason}`);
  }
  if (opened.has(dataDir)) {
    throw new EmbeddedMongodbError('LOCKED', `this process is using the data directory ${dataDir} already`);
  }
  opened.add(dataDir);
  return { dataDir, release: () => opened.delete(dataDir) };
}
