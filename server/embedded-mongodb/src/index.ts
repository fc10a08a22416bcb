/** The embedded database: MongoDB's wire protocol on a private socket, over LMDB, in a worker thread. */
import { realpathSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { EmbeddedMongodbError } from './error.ts';
import { makeDirectory } from './storage/make-directory.ts';
import { type Address, parseAddress, privateAddress } from './wire/address.ts';
import type { WorkerInput, WorkerMessage } from './worker.ts';

export { checkDataDir, type DataDirCheck } from './check.ts';
export { EmbeddedMongodbError, type EmbeddedMongodbErrorCode } from './error.ts';

export interface EmbeddedMongodbOptions {
  /** The directory that holds the data; made when it is not there. One process at a time may have it open. */
  dataDir: string;
  /** A socket path or a loopback `host:port` to listen on as well; '' for none. */
  listen?: string | undefined;
  /** Whether documents that a TTL index says have expired stay: for copying, where nothing may change by itself. */
  keepExpired?: boolean;
}

export interface EmbeddedMongodb {
  /** The connection string of the private address, without a database name. */
  url: string;
  /** The connection string of the `listen` address; undefined without one. */
  listenUrl: string | undefined;
  /** The size of the JavaScript heap of the database's thread, in bytes. */
  heapBytes(): Promise<number>;
  /** Ends after all acknowledged writes are stored. */
  close(): Promise<void>;
}

/** The directories that this process has open: the file lock only tells processes apart. */
const opened = new Set<string>();

/**
 * Starts the embedded database in a worker thread.
 * Fails with an EmbeddedMongodbError whose message is one line that names the directory or address.
 */
export async function openEmbeddedMongodb(options: EmbeddedMongodbOptions): Promise<EmbeddedMongodb> {
  const extra = options.listen ? [parseAddress(options.listen)] : [];
  const dataDir = claimInProcess(options.dataDir);
  const home = privateAddress();
  const cleanUp = () => {
    opened.delete(dataDir);
    if (home.folder) rmSync(home.folder, { recursive: true, force: true });
    process.off('exit', cleanUp);
  };
  process.on('exit', cleanUp);
  const { folder, ...address } = home;
  const addresses = [address as Address, ...extra];
  try {
    const { worker, urls } = await startWorker({
      dataDir,
      addresses,
      folder,
      keepExpired: options.keepExpired ?? false,
    });
    return {
      url: urls[0] as string,
      listenUrl: urls[1],
      heapBytes: () => askHeap(worker),
      close: async () => {
        await stopWorker(worker);
        cleanUp();
      },
    };
  } catch (error) {
    cleanUp();
    throw error;
  }
}

function claimInProcess(directory: string): string {
  let dataDir = resolve(directory);
  try {
    makeDirectory(dataDir);
    dataDir = realpathSync(dataDir);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedMongodbError('UNWRITABLE', `the data directory ${dataDir} can't be used: ${reason}`);
  }
  if (opened.has(dataDir)) {
    throw new EmbeddedMongodbError('LOCKED', `this process is using the data directory ${dataDir} already`);
  }
  opened.add(dataDir);
  return dataDir;
}

function startWorker(input: WorkerInput): Promise<{ worker: Worker; urls: string[] }> {
  return new Promise((resolveStarted, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: input });
    const died = (reason: string) => {
      reject(
        new EmbeddedMongodbError('WORKER', `the embedded database in ${input.dataDir} ended: ${reason}`),
      );
    };
    worker.once('error', (error) => died(error instanceof Error ? error.message : String(error)));
    worker.once('exit', (code) => died(`exit code ${code}`));
    worker.once('message', (message: WorkerMessage) => {
      if (!('ready' in message)) return;
      if (message.ready) resolveStarted({ worker, urls: message.urls });
      else reject(new EmbeddedMongodbError(message.code, message.message));
    });
  });
}

function askHeap(worker: Worker): Promise<number> {
  return new Promise((resolveHeap) => {
    const listen = (message: WorkerMessage) => {
      if (!('heapBytes' in message)) return;
      worker.off('message', listen);
      resolveHeap(message.heapBytes);
    };
    worker.on('message', listen);
    worker.postMessage('heap');
  });
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolveStopped) => {
    worker.once('exit', () => resolveStopped());
    worker.postMessage('close');
  });
}
