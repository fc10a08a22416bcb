/** Where the process is that copies an open data directory, and what it says. */
import { fileURLToPath } from 'node:url';

export const COPY_PROCESS = fileURLToPath(new URL('./copy-main.js', import.meta.url));

/** How the copy ended. */
export interface CopyMessage {
  error: string | undefined;
}
