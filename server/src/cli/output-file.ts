import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { UsageError } from './arguments.ts';

/** How many characters are written at a time. */
const WRITTEN_AT_ONCE = 65_536;

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

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
    if (await isThere(file)) throw new UsageError(`${file} can't be written: EEXIST`);
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

  async write(line: string): Promise<void> {
    this.#waiting += `${line}\n`;
    if (this.#waiting.length >= WRITTEN_AT_ONCE) await this.#flush();
  }

  /** Gives it its name. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#partial, this.#file);
  }

  /** Leaves nothing of it. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#partial, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    await this.#handle.appendFile(text);
  }
}
