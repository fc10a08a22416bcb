/** Verifies a whole data directory: every document against every index. */
import { fork } from 'node:child_process';
import { damaged, EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import { CHECK_PROCESS, type CheckMessage, type DataDirCheck } from '../storage/check-process.ts';

export type { DataDirCheck };

/**
 * Checks the data directory, which must not be open anywhere, in a process of its own: a damaged file may end it.
 * `show` is told how far it is. Fails with an EmbeddedMongodbError when there is no database, or it can't be opened
 * or read.
 */
export function checkDataDir(
  dataDir: string,
  show: (ns: string, documents: number) => void = () => {},
): Promise<DataDirCheck> {
  return new Promise((resolve, reject) => {
    const child = fork(CHECK_PROCESS, [dataDir], { stdio: 'ignore', execArgv: [] });
    child.on('message', (message: CheckMessage) => {
      if ('ns' in message) show(message.ns, message.documents);
      else if ('collections' in message) resolve(message);
      else reject(new EmbeddedMongodbError(message.code, message.message));
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(damaged(dataDir, `reading it ended the process that did with ${signal ?? `exit code ${code}`}`));
    });
  });
}
