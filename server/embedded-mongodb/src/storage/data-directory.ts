/** Opens a data directory for this process alone. */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { damaged, EmbeddedMongodbError, unseen } from '../errors/embedded-mongodb-error.ts';
import {
  CHECK_PROCESS,
  EXIT_DAMAGED,
  EXIT_ERRORS,
  isCheckProcess,
  refuseEndedFromOutside,
} from './check-process.ts';
import { becomeFirstReader, CLAIM_FILES, claimDirectory } from './claim.ts';
import { inspectDataFile } from './data-file.ts';
import { Environment } from './environment.ts';
import { checkLockRoom } from './lock-room.ts';
import { makeDirectory } from './make-directory.ts';
import { makeFile } from './make-file.ts';
import { lookAtTrees } from './page-tree.ts';

/** Raised when what lies on disk changes in a way that older code would misread. */
export const FORMAT_VERSION = 1;

const FORMAT_KEY = Buffer.from('format');
const FORMAT_NAME = 'parlor-embedded-mongodb';

/** Inside of a data directory: the copy that compaction makes, until it takes the file's place. */
export const COMPACTED = 'compacted';

/** Inside of a data directory that a database was made in: a data file that is empty or gone was one that held something. */
const MADE = 'made';

/** How long a start looks at the pages of a large database. */
const LOOK_FOR_MS = 10_000;

/** A process that failed to take the lock may hold the lock file open for a moment after its owner died. */
const LOCK_ATTEMPTS = 5;
const LOCK_RETRY_MS = 100;

/** Opens the environment in `dataDir`, making the directory when it is not there. */
export function openDataDirectory(dataDir: string): Environment {
  prepare(dataDir);
  for (let attempt = 1; ; attempt++) {
    const environment = openEnvironment(dataDir, attempt === 1);
    if (environment) {
      checkFormat(environment, dataDir);
      writeMark(dataDir);
      // Left by a killed compaction: what is deleted from now on would stay in it.
      rmSync(join(dataDir, COMPACTED), { recursive: true, force: true });
      return environment;
    }
    if (attempt === LOCK_ATTEMPTS) {
      throw new EmbeddedMongodbError('LOCKED', `another process is using the data directory ${dataDir}`);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_RETRY_MS);
  }
}

/** Whether a database was made in `dataDir`, whatever has become of it since. Makes nothing. */
export function holdsDatabase(dataDir: string): boolean {
  if (existsSync(join(dataDir, MADE))) return true;
  try {
    return (statSync(join(dataDir, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch {
    // Opening it tells why it can't be looked at.
    return true;
  }
}

/** Beside the data file while it is open and after it, without anything of the data: the claim, and LMDB's own lock. */
export const LOCK_FILES = [...CLAIM_FILES, 'lock.mdb'];

/** What a start that was killed may have left, and what a disk of its own has. */
const NO_OBSTACLES = ['data.mdb', ...LOCK_FILES, 'room', 'lost+found'];

/**
 * Fails with an EmbeddedMongodbError where `dataDir` holds no database but one in its folder `database`, as a DATA_DIR of
 * Parlor's does, or any other files: whoever named it meant another one. Makes nothing.
 */
export function refuseOtherDirectory(dataDir: string): void {
  if (holdsDatabase(dataDir) || !statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) return;
  const refuse = (why: string) => {
    throw new EmbeddedMongodbError('FORMAT', `there is no embedded database in ${dataDir}${why}`);
  };
  const inside = join(dataDir, 'database');
  if (holdsDatabase(inside)) refuse(`, but there is one in ${inside}`);
  const other = readdirSync(dataDir).find((name) => !NO_OBSTACLES.includes(name));
  if (other !== undefined) refuse(`, and none is made beside other files, such as ${other}`);
}

function prepare(dataDir: string): void {
  try {
    makeDirectory(dataDir);
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a directory');
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const name of ['data.mdb', ...LOCK_FILES]) {
      const file = join(dataDir, name);
      if (!existsSync(file)) continue;
      // Opening a pipe would wait for ever.
      if (!statSync(file).isFile()) throw new Error(`${name} is not a file`);
      // Asked of who has started this process, not of who it acts as, access would say yes.
      closeSync(openSync(file, 'r+'));
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedMongodbError('UNWRITABLE', `the data directory ${dataDir} can't be used: ${reason}`);
  }
}

/** Gives nothing where another process has it. */
function openEnvironment(dataDir: string, isFirst: boolean): Environment | undefined {
  const file = join(dataDir, 'data.mdb');
  const state = existsSync(file) ? inspectDataFile(file) : 'empty';
  if (state === 'empty' && existsSync(join(dataDir, MADE)))
    throw damaged(dataDir, 'its data.mdb, which was not empty, is empty or gone');
  if (state === 'foreign') throw notOurs(dataDir);
  const trees = state === 'whole' && isFirst && !isCheckProcess ? lookAtTrees(file, LOOK_FOR_MS) : 'sound';
  if (state === 'short' && !isReadable(dataDir, [EXIT_DAMAGED])) throw damaged(dataDir);
  if (trees === 'doubtful' && !isReadable(dataDir, [EXIT_DAMAGED, EXIT_ERRORS])) throw damaged(dataDir);
  for (const name of [CLAIM_FILES[1], 'lock.mdb']) checkLockRoom(dataDir, name);
  try {
    const claim = claimDirectory(dataDir);
    if (!claim) return undefined;
    try {
      // Its owner may have written while it was looked at; nobody does now.
      if (state === 'damaged' && inspectDataFile(file) === 'damaged') throw damaged(dataDir);
      if (trees === 'unsafe' && lookAtTrees(file, LOOK_FOR_MS, true) === 'unsafe') throw damaged(dataDir);
      const environment = new Environment(dataDir, claim);
      // The process that copies a directory may outlive its owner for a moment; an older version makes no claim.
      if (environment.writeNow(() => becomeFirstReader(environment.root))) return environment;
      void environment.root.close();
    } catch (error) {
      void claim.release();
      throw error;
    }
    void claim.release();
    return undefined;
  } catch (error) {
    if (error instanceof EmbeddedMongodbError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    // The last one to close a directory destroys LMDB's lock, also under whoever has just begun to open it.
    if (reason.includes('No transaction to renew'))
      throw new EmbeddedMongodbError(
        'LOCKED',
        `another process was closing the data directory ${dataDir} at this moment: try again`,
      );
    const code = /INVALID|VERSION_MISMATCH|CORRUPTED|incompatible/.test(reason) ? 'FORMAT' : 'UNWRITABLE';
    throw new EmbeddedMongodbError(code, `the database in ${dataDir} can't be opened: ${reason}`);
  }
}

function checkFormat(environment: Environment, dataDir: string): void {
  const stored = environment.meta.getBinary(FORMAT_KEY)?.toString();
  if (stored === undefined) {
    if (environment.records.getKeysCount({ limit: 1 }) > 0) throw notOurs(dataDir);
    environment.writeNow(() => {
      environment.meta.putSync(FORMAT_KEY, Buffer.from(`${FORMAT_NAME} ${FORMAT_VERSION}`));
    });
    return;
  }
  const [name, version] = stored.split(' ');
  if (name !== FORMAT_NAME) throw notOurs(dataDir);
  if (Number(version) === FORMAT_VERSION) return;
  throw new EmbeddedMongodbError(
    'FORMAT',
    `the database in ${dataDir} has format ${version}; this version reads format ${FORMAT_VERSION}`,
  );
}

/** Written after the database, so that a first start that was killed begins anew. Without room the next start does it. */
function writeMark(dataDir: string): void {
  try {
    makeFile(join(dataDir, MADE), '');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EEXIST', 'ENOSPC', 'EDQUOT'].includes(code)) throw error;
  }
}

/**
 * Whether another process can read all of it. One that can't open it, as it is in use, says nothing against it. Fails where it
 * can't be begun, or is ended from outside.
 * @param against the codes of its end that do
 */
function isReadable(dataDir: string, against: readonly number[]): boolean {
  if (isCheckProcess) return true;
  const { error, signal, status } = spawnSync(process.execPath, [CHECK_PROCESS, dataDir], {
    stdio: 'ignore',
  });
  if (error) throw unseen(dataDir, error.message);
  refuseEndedFromOutside(dataDir, signal ?? '');
  return signal === null && !against.includes(status ?? EXIT_DAMAGED);
}

function notOurs(dataDir: string): EmbeddedMongodbError {
  return new EmbeddedMongodbError('FORMAT', `the data directory ${dataDir} holds another kind of database`);
}
