/** The database's thread as the thread that started it sees it. */
import { Worker } from 'node:worker_threads';
import { EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import type { PageBytes } from '../storage/page-bytes.ts';
import type { WorkerAsk, WorkerInput, WorkerMessage } from './worker.ts';

/**
 * The heap that the thread may use, in MiB, unless `--max-old-space-size` says otherwise, which Node.js puts first. What queries hold is bounded to a third of it (limits/memory.ts); the
 * rest is for what runs at the moment. Documents and answers are buffers, which lie outside of it.
 */
const MAX_HEAP_MB = 1024;

/** How long the thread may take to end when it is asked. */
const STOP_TIMEOUT_MS = 10_000;

/** How long a thread that is terminated may take: longer than that takes only what hangs inside of the system. */
const TERMINATE_TIMEOUT_MS = 1_000;

export class DatabaseThread {
  /** The connection strings of the addresses; fails with an EmbeddedMongodbError when it can't start. */
  readonly started: Promise<string[]>;
  /** Settles when the thread has ended unasked after its start. */
  readonly died: Promise<EmbeddedMongodbError>;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #dataDir: string;
  #isStopping = false;

  constructor(input: WorkerInput) {
    this.#dataDir = input.dataDir;
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: input,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    this.#worker = worker;
    let reason: string | undefined;
    let heapLimit: number | undefined;
    const ended = new Promise<EmbeddedMongodbError>((resolve) => {
      worker.once('error', (error) => {
        reason = reasonOf(error, heapLimit);
      });
      worker.once('exit', (code) => {
        const text = `the embedded database in ${input.dataDir} ended: ${reason ?? `exit code ${code}`}`;
        resolve(new EmbeddedMongodbError('WORKER', text));
      });
    });
    this.#exited = ended.then(() => undefined);
    this.started = new Promise((resolve, reject) => {
      void ended.then(reject);
      worker.once('message', (message: WorkerMessage) => {
        if (!('ready' in message)) return;
        if (!message.ready) return reject(new EmbeddedMongodbError(message.code, message.message));
        heapLimit = message.heapLimit;
        resolve(message.urls);
      });
    });
    this.died = new Promise((resolve) => {
      void this.started.then(
        () => ended.then((error) => this.#isStopping || resolve(error)),
        () => undefined,
      );
    });
  }

  /** The size of the JavaScript heap of the thread, in bytes. */
  heapBytes(): Promise<number> {
    return this.#askFor('heap', (message) => ('heapBytes' in message ? message.heapBytes : undefined));
  }

  /** What the file's pages take. */
  pageBytes(): Promise<PageBytes> {
    return this.#askFor('pages', (message) => ('pageBytes' in message ? message.pageBytes : undefined));
  }

  /** Has all writes wait, reading goes on; resolves when none is under way, to what ends it. */
  async holdWrites(): Promise<() => void> {
    const held = this.#askFor('hold', (message) => 'isHolding' in message || undefined);
    // A thread that has ended writes nothing.
    await Promise.race([held, this.#exited]);
    return () => this.#ask('release');
  }

  /** To be called after a process that read the files was killed: the pages that it saw can be used again. */
  forgetDeadReaders(): void {
    this.#ask('readers');
  }

  /**
   * Ends the thread after the writes that wait, or without them when it does not answer for 10 s; fails with an
   * EmbeddedMongodbError where even that does not end it.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#ask('close');
    if (await this.#exitsWithin(STOP_TIMEOUT_MS)) return;
    void this.#worker.terminate();
    if (await this.#exitsWithin(TERMINATE_TIMEOUT_MS)) return;
    const text = `the embedded database in ${this.#dataDir} does not end: its disk may not answer`;
    throw new EmbeddedMongodbError('WORKER', text);
  }

  /** Ends the thread without the writes that wait; resolves when it has ended. */
  async terminate(): Promise<void> {
    this.#isStopping = true;
    await this.#worker.terminate();
    await this.#exited;
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const hasExited = await Promise.race([this.#exited.then(() => true), late]);
    clearTimeout(timer);
    return hasExited;
  }

  #askFor<T>(what: WorkerAsk, read: (message: WorkerMessage) => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const listen = (message: WorkerMessage) => {
        const answer = read(message);
        if (answer === undefined) return;
        this.#worker.off('message', listen);
        resolve(answer);
      };
      this.#worker.on('message', listen);
      this.#ask(what);
    });
  }

  #ask(what: WorkerAsk): void {
    this.#worker.postMessage(what);
  }
}

function reasonOf(error: unknown, heapLimit = MAX_HEAP_MB * 2 ** 20): string {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return `it ran out of memory (it may use ${Math.floor(heapLimit / 2 ** 20)} MiB)`;
  }
  return error instanceof Error ? error.message : String(error);
}
