import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flush } from '../platform/flush.ts';
import { UsageError } from './arguments.ts';

/** How many characters are written at a time. */
const WRITTEN_AT_ONCE = 65_536;

const isThere = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  );

const isInWay = (file: string): UsageError => new UsageError(`${file} can't be written: EEXIST`);

const cannotWrite =
  (file: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw new UsageError(`${file} can't be written: ${code}`);
  };

/** Gives a file a name that nothing has. Where the file system has no hard links, what comes at this moment is replaced. */
const nameAs = async (partial: string, file: string): Promise<void> => {
  try {
    await link(partial, file);
  } catch {
    if (await isThere(file)) throw isInWay(file);
    await rename(partial, file);
    return;
  }
  await rm(partial);
};

/**
 * A new file of lines, for its owner only. It has its name only when all of it is on the disk: before that it is called
 * `.partial`, so that an interruption leaves none that looks whole.
 */
export class OutputFile {
  readonly #file: string;
  readonly #partial: string;
  readonly #handle: FileHandle;
  #waiting = '';

  private constructor(file: string, partial: string, handle: FileHandle) {
    this.#file = file;
    this.#partial = partial;
    this.#handle = handle;
  }

  /** @throws UsageError when it is there, or can't be made */
  static async create(file: string): Promise<OutputFile> {
    if (await isThere(file)) throw isInWay(file);
    const partial = `${file}.partial`;
    const handle = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(
        error.code === 'EEXIST'
          ? `${partial} is there, of a command that runs or was interrupted: remove it first`
          : `${file} can't be written: ${error.code}`,
      );
    });
    return new OutputFile(file, partial, handle);
  }

  /** @throws UsageError when it can't be written */
  async write(line: string): Promise<void> {
    this.#waiting += `${line}\n`;
    if (this.#waiting.length >= WRITTEN_AT_ONCE) await this.#flush();
  }

  /** Gives it its name. @throws UsageError when something else has it by now, or it can't be written */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#handle.sync().catch(cannotWrite(this.#file));
    await this.#handle.close();
    await nameAs(this.#partial, this.#file);
    // Whoever reads that it is there may delete the account. Some file systems flush no folders.
    await flush(dirname(this.#file)).catch(() => undefined);
  }

  /** Leaves nothing of it. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#partial, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    await this.#handle.appendFile(text).catch(cannotWrite(this.#file));
  }
}
