/**
 * The process that copies a data directory that another process has open. LMDB can't be told to stop a copy, nor be closed
 * while it makes one: this process can be killed.
 */
import { once } from 'node:events';
import { open } from 'lmdb';
import { COPY_PROTOCOL, type CopyMessage } from './copy-process.ts';
import { actAsOwnerOf } from './owner.ts';

const [, , dataDir = '', target = '', protocol] = process.argv;

// Whoever outlived the database's owner would keep the next one from opening it; it may have gone already.
const end = () => process.kill(process.pid, 'SIGKILL');
process.once('disconnect', end);
if (!process.connected) end();

const say = (message: CopyMessage) => process.send?.(message);

// LMDB makes the copy for everybody, whatever the mode of what it copies.
process.umask(0o077);

const copy = async (): Promise<void> => {
  // After an update, before the server is started anew: it would not hold its writes.
  if (protocol !== COPY_PROTOCOL)
    throw new Error('the server that runs is of another version: start it anew first');
  say('ready');
  await once(process, 'message');
  // LMDB writes its lock also for who only reads.
  const beItself = actAsOwnerOf(dataDir);
  const root = open(dataDir, { readOnly: true, noSubdir: false });
  beItself();
  say('opened');
  actAsOwnerOf(target);
  // Compacted: free pages keep what was deleted until something is written over them, and a copy must not.
  await root.backup(target, true);
  await root.close();
};

const error = await copy().then(
  () => undefined,
  (reason: Error) => reason.message,
);
process.removeAllListeners('disconnect');
process.send?.({ error } satisfies CopyMessage, () => process.disconnect());
