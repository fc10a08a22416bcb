/** Where the process is that reads a whole data directory for others, and what its end says. */
import { fileURLToPath } from 'node:url';
import { type EmbeddedMongodbErrorCode, unseen } from '../errors/embedded-mongodb-error.ts';

export const CHECK_PROCESS = fileURLToPath(new URL('./check-main.js', import.meta.url));

/** Its exit code where the database can't be read. */
export const EXIT_DAMAGED = 3;

/** Its exit code where all of it can be read, and something in it is wrong, such as an index. */
export const EXIT_ERRORS = 4;

/** How reading a damaged file ends it; any other signal comes from outside, as where the system's memory runs out. */
const CRASHES: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE']);

/** Fails where a process that read a data directory was ended from outside, which says nothing of what is in there. @param how a signal, or a code in words */
export function refuseEndedFromOutside(dataDir: string, how: string): void {
  if (how.startsWith('SIG') && !CRASHES.has(how))
    throw unseen(dataDir, `the process that read it was ended by ${how}`);
}

/** Whether this is that process. */
export const isCheckProcess = process.argv[1] === CHECK_PROCESS;

export interface DataDirCheck {
  collections: number;
  documents: number;
  /** One line for each thing that is wrong, with the collection's name. */
  errors: string[];
}

/** What the process that checks says. */
export type CheckMessage =
  | { ns: string; documents: number }
  | DataDirCheck
  | { code: EmbeddedMongodbErrorCode; message: string };
