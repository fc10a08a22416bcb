/** The embedded database: MongoDB's wire protocol on a private socket, over LMDB, in a worker thread. */
import { rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { EmbeddedMongodbError } from './errors/embedded-mongodb-error.ts';
import { copyDataDir } from './maintenance/copy.ts';
import { checkCopyRoom } from './storage/copy-room.ts';
import { LOCK_FILES } from './storage/data-directory.ts';
import { DataPlace } from './storage/data-place.ts';
import { actAs, type Owner, ownerOf } from './storage/owner.ts';
import { lockInProcess } from './storage/process-lock.ts';
import { DatabaseThread } from './thread/database-thread.ts';
import { type Address, parseAddress, privateAddress } from './wire/address.ts';
import { SOCKET_FOLDER_NOTE } from './wire/stale-socket-folder.ts';

export { EmbeddedMongodbError, type EmbeddedMongodbErrorCode } from './errors/embedded-mongodb-error.ts';
export { checkDataDir, type DataDirCheck } from './maintenance/check.ts';
export { type Compaction, compactDataDir } from './maintenance/compact.ts';
export { holdsDatabase } from './storage/data-directory.ts';
export { makeDirectory } from './storage/make-directory.ts';
export { makeFile } from './storage/make-file.ts';
export { actAsOwnerOf } from './storage/owner.ts';
export { listenOnPrivateSocket } from './wire/private-socket.ts';

/** Beside the data file, without anything of the data: whoever opens a directory makes them, and those that are gone anew. */
export const FILES_OF_AN_OPENING: readonly string[] = [...LOCK_FILES, SOCKET_FOLDER_NOTE];

export interface EmbeddedMongodbOptions {
  /** The directory that holds the data; made when it is not there. One process at a time may have it open. */
  dataDir: string;
  /** A socket path or a loopback `host:port` to listen on as well; '' for none. */
  listen?: string | undefined;
  /** Whether documents that a TTL index says have expired stay: for copying, where nothing may change by itself. */
  keepExpired?: boolean;
}

export interface CopyOptions {
  /** So much of the disk stays free. */
  keptBytes?: number;
  signal?: AbortSignal;
}

export interface EmbeddedMongodb {
  /** The connection string of the private address, without a database name. */
  url: string;
  /** The connection string of the `listen` address; undefined without one. */
  listenUrl: string | undefined;
  /** The size of the JavaScript heap of the database's thread, in bytes. */
  heapBytes(): Promise<number>;
  /**
   * The bytes that can still be written: what the disk has free, and the free pages of the file. Fails with an
   * EmbeddedMongodbError where the data file was removed, moved or replaced: nothing is written then.
   */
  freeBytes(): Promise<number>;
  /**
   * Copies the database into a directory that is there and empty, while it is in use: one consistent state, with
   * every write that was acknowledged before. Fails where the directory's disk has no room for it and `keptBytes` more,
   * and when it is ended, by `signal` or by `close`.
   */
  copyTo(directory: string, options?: CopyOptions): Promise<void>;
  /** Settles when the database's thread has ended unasked, as without memory; its clients wait in vain then. */
  died: Promise<EmbeddedMongodbError>;
  /**
   * Ends after all acknowledged writes are stored; at the latest after 10 s. Fails a second later where the thread can't be
   * ended, as on a disk that does not answer: the process can't exit by itself then.
   */
  close(): Promise<void>;
  /** Ends the thread in the middle of what it does, for a process that is about to end; resolves when it has ended. */
  terminate(): Promise<void>;
}

/**
 * Starts the embedded database in a worker thread.
 * Fails with an EmbeddedMongodbError whose message is one line that names the directory or address.
 */
export async function openEmbeddedMongodb(options: EmbeddedMongodbOptions): Promise<EmbeddedMongodb> {
  const extra = options.listen ? [parseAddress(options.listen)] : [];
  const lock = lockInProcess(options.dataDir);
  // Of the path as it was given: past its links may be what is root's.
  const owner = ownerOf(options.dataDir);
  const beItself = actAs(owner);
  try {
    return await openLocked(options, extra, lock, owner);
  } finally {
    beItself();
  }
}

async function openLocked(
  options: EmbeddedMongodbOptions,
  extra: Address[],
  { dataDir, release }: ReturnType<typeof lockInProcess>,
  owner: Owner,
): Promise<EmbeddedMongodb> {
  const home = privateAddress();
  const cleanUp = () => {
    release();
    const beItself = actAs(owner);
    try {
      if (home.folder) rmSync(home.folder, { recursive: true, force: true });
    } catch {
      // Where nothing can be removed now, the next owner of the directory does.
    }
    beItself();
    process.off('exit', cleanUp);
  };
  process.on('exit', cleanUp);
  const { folder, ...address } = home;
  const addresses = [address as Address, ...extra];
  try {
    const thread = new DatabaseThread({
      dataDir,
      addresses,
      folder,
      keepExpired: options.keepExpired ?? false,
    });
    const urls = await thread.started;
    const place = new DataPlace(dataDir);
    const closing = new AbortController();
    const copies = new Set<Promise<void>>();
    return {
      url: urls[0] as string,
      listenUrl: urls[1],
      heapBytes: () => thread.heapBytes(),
      freeBytes: async () => {
        const { loss } = place;
        if (loss !== undefined) throw new EmbeddedMongodbError('UNWRITABLE', loss);
        const [{ bavail, bsize }, { free }] = await Promise.all([statfs(dataDir), thread.pageBytes()]);
        return bavail * bsize + free;
      },
      copyTo: async (directory, { keptBytes = 0, signal } = {}) => {
        await checkCopyRoom(directory, (await thread.pageBytes()).used, { what: 'a copy', keptBytes });
        const until = AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]);
        const holdWrites = () => thread.holdWrites();
        const copy = copyDataDir(dataDir, directory, { holdWrites, signal: until }).finally(() =>
          copies.delete(copy),
        );
        copies.add(copy);
        await copy.catch((error) => {
          thread.forgetDeadReaders();
          throw error;
        });
      },
      died: thread.died,
      close: async () => {
        closing.abort(new Error('the database is closed'));
        await Promise.allSettled(copies);
        await thread.stop();
        cleanUp();
      },
      terminate: () => thread.terminate(),
    };
  } catch (error) {
    cleanUp();
    throw error;
  }
}
