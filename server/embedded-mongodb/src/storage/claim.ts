/**
 * The claim on a data directory, made before LMDB opens its database. Opening that is no harmless look: LMDB then writes the
 * number of the newest transaction that it has read (`mdb_env_open2`), and where the owner commits another one in that moment,
 * the owner's next transaction begins without it. What was acknowledged would be gone.
 *
 * So whoever opens a directory asks a database of its own first, `in-use.mdb`, in which nothing is ever written. LMDB locks it
 * in the kernel, until the process ends, whatever its process number. The first to open it resets its table of readers. Inside
 * a write transaction, whoever finds no reader is the owner and becomes the first one; anyone else is late.
 */
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';

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

/** Claims a data directory for this process; gives nothing where another one has it. Fails with LMDB's errors. */
export function claimDirectory(dataDir: string): Claim | undefined {
  const root = open<Buffer, Buffer>(join(dataDir, CLAIM_FILES[0]), { permissionsMode: 0o600 } as object);
  if (root.transactionSync(() => becomeFirstReader(root))) return { release: () => root.close() };
  void root.close();
  return undefined;
}

/** Whether nobody reads, and this process does from now on. Inside a write transaction only. */
export function becomeFirstReader(root: RootDatabase<Buffer, Buffer>): boolean {
  const { numReaders } = (root as unknown as ReaderInfo).env.info();
  if (numReaders > 0) return false;
  // Beginning a read transaction takes a place in the table, which stays taken.
  root.useReadTransaction().done();
  return true;
}
