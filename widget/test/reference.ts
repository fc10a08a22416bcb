import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

/** Where those that differ are put. */
const RESULTS = fileURLToPath(new URL('../../test-results/pictures', import.meta.url));

/** `npm run pictures` takes them anew. */
const RETAKE = process.env.npm_lifecycle_event === 'pictures';

/** How many pixels may differ, and how much a colour must (0..1) to count: less than one changed letter. */
const PIXELS = 40;
const COLOR = 0.1;

const save = (folder: string, name: string, bytes: Buffer): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), bytes);
};

/**
 * A picture as small as it goes, a third of what the browser wrote: the last two bits of each colour, which are
 * the noise of gradients, are left out (pixelmatch sees nothing of them), and long runs are packed well.
 */
const small = (picture: PNG): Buffer => {
  picture.data.forEach((value, at) => {
    picture.data[at] = value & 0xfc;
  });
  return PNG.sync.write(picture, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 });
};

/** Reference pictures of one package, kept in a folder. */
export class ReferencePictures {
  readonly #folder: string;
  readonly #taken = new Set<string>();

  /** @param folder what the names are relative to, as a URL of this machine's files */
  constructor(folder: URL) {
    this.#folder = fileURLToPath(folder);
  }

  /**
   * Compares a picture with the one that is kept under its name.
   * @returns what differs, as a line; undefined when nothing does. Then, and where there is none yet, the new one
   *   and the difference are in `test-results/pictures`.
   */
  compare(name: string, taken: Buffer): string | undefined {
    this.#taken.add(`${name}.png`);
    const now = PNG.sync.read(taken);
    const file = join(this.#folder, `${name}.png`);
    const kept = existsSync(file) ? PNG.sync.read(readFileSync(file)) : undefined;
    const { width, height } = now;
    const isSameSize = kept?.width === width && kept.height === height;
    const difference = new PNG({ width, height });
    const pixels =
      kept && isSameSize
        ? pixelmatch(kept.data, now.data, difference.data, width, height, { threshold: COLOR })
        : Number.POSITIVE_INFINITY;
    if (pixels <= PIXELS) return undefined;
    if (RETAKE) {
      save(this.#folder, name, small(now));
      return undefined;
    }
    save(RESULTS, `${name}.new`, taken);
    if (!kept) return `${name}: there is no reference picture`;
    if (!isSameSize) return `${name}: ${width}×${height}, not ${kept.width}×${kept.height}`;
    save(RESULTS, `${name}.difference`, PNG.sync.write(difference));
    return `${name}: ${pixels} pixels differ`;
  }

  /** The pictures that are kept, but that were not compared; retaking removes them. */
  leftOver(): string[] {
    const files = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    const left = files.filter((file) => !this.#taken.has(file));
    if (!RETAKE) return left;
    for (const file of left) rmSync(join(this.#folder, file));
    return [];
  }
}
