/** Verifies a whole data directory: every document against every index. */
import { damaged, EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import {
  CHECK_PROCESS,
  type CheckMessage,
  type DataDirCheck,
  refuseEndedFromOutside,
} from '../storage/check-process.ts';
import { runModule } from './child-process.ts';

export type { DataDirCheck };

/**
 * Checks the data directory, which must not be open anywhere, in a process of its own: a damaged file may end it.
 * `show` is told how far it is. Fails with an EmbeddedMongodbError when there is no database, or it can't be opened
 * or read, and with the signal's reason.
 */
export async function checkDataDir(
  dataDir: string,
  show: (ns: string, documents: number) => void = () => {},
  signal?: AbortSignal,
): Promise<DataDirCheck> {
  let said: Exclude<CheckMessage, { ns: string }> | undefined;
  const hear = (message: CheckMessage) => {
    if ('ns' in message) show(message.ns, message.documents);
    else said = message;
  };
  // Whoever opens it in the very moment in which its last user closes it finds LMDB's lock destroyed: it has ended then.
  const how = await runModule(CHECK_PROCESS, [dataDir], hear, signal);
  if (!said) refuseEndedFromOutside(dataDir, how);
  if (!said) throw damaged(dataDir, `reading it ended the process that did with ${how}`);
  if ('collections' in said) return said;
  throw new EmbeddedMongodbError(said.code, said.message);
}
