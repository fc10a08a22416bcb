/** The private socket's folder of a process that was killed: the next owner of the data directory removes it. */
import { readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFile } from '../storage/make-file.ts';

/** In the data directory; names the folder of the process that has it open. */
export const SOCKET_FOLDER_NOTE = 'socket-folder';
const MADE_BY_US = /^parlor-[A-Za-z0-9]{6}$/;

/** To be called by the owner of `dataDir` alone. What fails here, as on a full disk, is no reason not to start. */
export function replaceStaleSocketFolder(dataDir: string, folder: string | undefined): void {
  const note = join(dataDir, SOCKET_FOLDER_NOTE);
  try {
    const left = readFileSync(note, 'utf8');
    // What stands in the file may have been changed: nothing but a folder as this makes them is touched.
    const isOurs = MADE_BY_US.test(basename(left)) && statSync(left).uid === process.geteuid?.();
    if (isOurs && left !== folder) {
      rmSync(join(left, 'db.sock'), { force: true });
      rmdirSync(left);
    }
  } catch {
    // Most often there is none.
  }
  try {
    rmSync(note, { force: true });
    if (folder) makeFile(note, folder);
  } catch {
    // Then an empty folder may stay behind some day.
  }
}
