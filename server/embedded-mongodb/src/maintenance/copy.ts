/** Copies a data directory that is open. */
import { COPY_PROCESS, type CopyMessage } from '../storage/copy-process.ts';
import { runModule } from './child-process.ts';

/**
 * Copies the newest state of a data directory, which this process has open, into a directory that is there and empty, while
 * writing goes on. Every write that was acknowledged before is in it. Fails where it can't be written, and with the signal's
 * reason; what there is of the copy is of no use then.
 */
export async function copyDataDir(dataDir: string, directory: string, signal?: AbortSignal): Promise<void> {
  let said: CopyMessage | undefined;
  const hear = (message: CopyMessage) => {
    said = message;
  };
  const how = await runModule(COPY_PROCESS, [dataDir, directory], hear, signal);
  if (!said) throw new Error(`the process that copies ended with ${how}`);
  if (said.error !== undefined) throw new Error(said.error);
}
