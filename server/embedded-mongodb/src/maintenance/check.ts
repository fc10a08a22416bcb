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
    let settle: (() => void) | undefined;
    child.on('message', (message: CheckMessage) => {
      if ('ns' in message) show(message.ns, message.documents);
      else if ('collections' in message) settle = () => resolve(message);
      else settle = () => reject(new EmbeddedMongodbError(message.code, message.message));
    });
    child.once('error', reject);
    const end = () => {
      const { exitCode, signalCode } = child;
      const how = `reading it ended the process that did with ${signalCode ?? `exit code ${exitCode}`}`;
      if (settle) settle();
      else reject(damaged(dataDir, how));
    };
    // Not before both: then its messages have come, and the directory is closed. Whoever opens it in the very moment in which
    // its last user closes it finds LMDB's lock destroyed.
    child.once('disconnect', () => {
      if (child.exitCode === null && child.signalCode === null) child.once('exit', end);
      else end();
    });
  });
}
