/** Where the process is that copies an open data directory, and what it says. */
import { fileURLToPath } from 'node:url';

export const COPY_PROCESS = fileURLToPath(new URL('./copy-main.js', import.meta.url));

/** Its last argument: who starts it and what is started may be of different versions while a server is updated. */
export const COPY_PROTOCOL = 'asks-before-opening';

/** It is ready to open the directory and waits for a word, it has opened it, and how the copy ended. */
export type CopyMessage = 'ready' | 'opened' | { error: string | undefined };
