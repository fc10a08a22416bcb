/**
 * The claim on a data directory, made before LMDB opens its database. Opening that is no harmless look: LMDB then writes the
 * number of the newest transaction that it has read (`mdb_env_open2`), and where the owner commits another one in that moment,
 * the owner's next transaction begins without it. What was acknowledged would be gone.
 *
 * So whoever opens a directory asks a database of its own first, `in-use.mdb`, in which nothing is ever written. LMDB locks it
 * in the kernel, until the process ends, whatever its process number. The first to open it resets its table of readers. Inside
 * a write transaction, whoever finds no reader is the owner and becomes the first one; anyone else is late.
 */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import { inspectDataFile } from './data-file.ts';

/** Its file and LMDB's lock beside it, in the data directory. */
export const CLAIM_FILES = ['in-use.mdb', 'in-use.mdb-lock'] as const;

/** What a process has claimed. */
export interface Claim {
  /** Lets the next one have it. */
  release(): Promise<void>;
}

interface ReaderInfo {
  env: { info(): { numReaders: number } };
}

/**
 * Claims a data directory for this process; gives nothing where another one has it. Fails with LMDB's errors, and with an
 * EmbeddedMongodbError where its file is damaged: removing it mends that, which only somebody can do who knows that nobody has
 * the directory open.
 */
export function claimDirectory(dataDir: string): Claim | undefined {
  const [name] = CLAIM_FILES;
  const file = join(dataDir, name);
  const state = existsSync(file) ? inspectDataFile(file) : 'empty';
  // LMDB maps what is not there, which ends the process.
  if (state !== 'empty' && state !== 'whole') {
    const text = `${name} in ${dataDir}, which holds no data, is damaged: remove it while nothing uses the directory`;
    throw new EmbeddedMongodbError('DAMAGED', text);
  }
  const root = open<Buffer, Buffer>(file, { permissionsMode: 0o600 } as object);
  if (!root.transactionSync(() => becomeFirstReader(root))) {
    void root.close();
    return undefined;
  }
  if (state === 'empty') flush(file);
  return { release: () => root.close() };
}

/** As nothing is ever stored in it, LMDB would never do this. */
function flush(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Whether nobody reads, and this process does from now on. Inside a write transaction only. */
export function becomeFirstReader(root: RootDatabase<Buffer, Buffer>): boolean {
  const { numReaders } = (root as unknown as ReaderInfo).env.info();
  if (numReaders > 0) return false;
  // Beginning a read transaction takes a place in the table, which stays taken.
  root.useReadTransaction().done();
  return true;
}
