/** Where the process is that reads a whole data directory for others, and what its end says. */
import { fileURLToPath } from 'node:url';

export const CHECK_PROCESS = fileURLToPath(new URL('../check-all.js', import.meta.url));

/** Its exit code where the database can't be read. */
export const EXIT_DAMAGED = 3;

/** Whether this is that process. */
export const isCheckProcess = process.argv[1] === CHECK_PROCESS;
