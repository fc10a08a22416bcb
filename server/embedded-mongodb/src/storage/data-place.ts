/** Whether a database is still where it was opened: what is written into a file without a name, nobody finds again. */
import { statSync } from 'node:fs';
import { join } from 'node:path';

export class DataPlace {
  readonly #file: string;
  readonly #opened: string | undefined;

  /** @param directory with the data file that is open */
  constructor(directory: string) {
    this.#file = join(directory, 'data.mdb');
    this.#opened = this.#identity();
  }

  /** What has become of it when the data file was removed, moved or replaced, as by a backup; undefined while all is well. */
  get loss(): string | undefined {
    if (this.#identity() === this.#opened) return undefined;
    return `${this.#file} was removed, moved or replaced while it is open`;
  }

  /** Undefined where it is not there, or can't be reached. */
  #identity(): string | undefined {
    try {
      const { dev, ino } = statSync(this.#file, { bigint: true });
      return `${dev}:${ino}`;
    } catch {
      return undefined;
    }
  }
}
