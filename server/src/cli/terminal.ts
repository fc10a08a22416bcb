import { once } from 'node:events';
import { constants, createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { UsageError } from './arguments.ts';
import { InputLineError, linesOf } from './input-lines.ts';
import { OutputFile } from './output-file.ts';
import { createProgress, print } from './progress.ts';

/** What a command that works on services has of whoever typed it, who may be in another process. */
export interface Terminal {
  /** One line of result on stdout. */
  print(text: string): void;
  /**
   * How far it is; shown as createProgress does.
   * @throws once `stopped` is aborted: so a command ends between two steps
   */
  progress(state: string): void;
  /** The lines of what it reads. */
  lines(): AsyncIterable<string>;
  /** Writes a line into its file; resolves when there is room for more. */
  write(line: string): Promise<void>;
  /** Aborted when the process in which the command runs stops, or whoever gave it has ended it: it ends then, and can be given again. */
  readonly stopped: AbortSignal;
}

/** The files of a command, besides stdin. */
export interface CommandFiles {
  /** Must be there. */
  reads?: string;
  /** Must not be there; it is there when the command has ended, for its owner only. */
  writes?: string;
}

const unreadable =
  (file: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw new UsageError(`${file} can't be read: ${code}`);
  };

/** This process's own terminal and files. Commands may take single functions of it: each is bound. */
export class LocalTerminal implements Terminal {
  readonly #files: CommandFiles;
  readonly #progress = createProgress();
  #results: string[] = [];
  #out: OutputFile | undefined;
  readonly #stopping = new AbortController();
  readonly stopped: AbortSignal = this.#stopping.signal;

  constructor(files: CommandFiles) {
    this.#files = files;
  }

  /** @throws UsageError when the file that is to be read is not there, or this user may not */
  async checkFiles(): Promise<void> {
    const { reads } = this.#files;
    if (reads !== undefined) await access(reads, constants.R_OK).catch(unreadable(reads));
  }

  /** Has the command end between two steps, with what it clears away. */
  stop(reason: Error): void {
    this.#stopping.abort(reason);
  }

  /** Kept until `close`: a result holds when the file is on the disk. */
  readonly print = (text: string): void => {
    this.#results.push(text);
  };

  readonly progress = (state: string): void => {
    this.stopped.throwIfAborted();
    this.#progress.show(state);
  };

  readonly lines = (): AsyncIterable<string> => this.#read();

  readonly write = async (line: string): Promise<void> => {
    this.#out ??= await OutputFile.create(this.#files.writes ?? '');
    await this.#out.write(line);
  };

  /** To be called when the command has done what it is for: gives its file the name. */
  async finish(): Promise<void> {
    await this.#out?.finish();
    this.#out = undefined;
  }

  /** To be called at the end. */
  async close(): Promise<void> {
    this.#progress.end();
    if (this.#out) {
      await this.#out.abandon();
      return;
    }
    for (const text of this.#results) print(text);
    this.#results = [];
  }

  async *#read(): AsyncGenerator<string> {
    const { reads } = this.#files;
    const input = reads === undefined ? process.stdin : createReadStream(reads);
    addAbortSignal(this.stopped, input);
    if (reads !== undefined) {
      await once(input, 'open').catch(unreadable(reads));
    }
    try {
      yield* linesOf(input);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (error instanceof InputLineError) throw new UsageError(`${reads ?? 'stdin'}, ${message}`);
      throw code === undefined ? error : new UsageError(`${reads ?? 'stdin'} can't be read: ${code}`);
    }
  }
}
