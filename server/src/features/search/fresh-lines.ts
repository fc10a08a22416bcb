import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { isDocumentRefused, refusalText } from '../../database/refused.ts';
import { uuidOfKey } from './lines.ts';
import type { SegmentLines, Segments } from './segments.ts';

/** How many refused objects are remembered, of which the log has a line. */
const MAX_TOLD = 1_000;

/** Of a plain Error nothing is known: what it kept from being written waits. */
const isRefused = (error: unknown): boolean =>
  isDocumentRefused(error) && (error as Error | undefined)?.name !== 'Error';

/** Stores lines in fresh segments. One that the database refuses keeps back no other, of its own account or of another. */
export class FreshLines {
  readonly #segments: Pick<Segments, 'addFresh'>;
  readonly #log: Logger;
  readonly #told = new LRUCache<string, true>({ max: MAX_TOLD });

  constructor(segments: Pick<Segments, 'addFresh'>, log: Logger) {
    this.#segments = segments;
    this.#log = log;
  }

  /**
   * With one command, unless something is refused.
   * @returns what is stored
   * @throws what is about more than single lines, such as an outage; some may be stored then, and a second time is harmless
   */
  async add(gathered: readonly SegmentLines[]): Promise<readonly SegmentLines[]> {
    try {
      await this.#segments.addFresh(gathered);
      return gathered;
    } catch (error) {
      if (!isRefused(error)) throw error;
      const parts = cut(gathered);
      if (parts.length === 1) {
        this.#tell(gathered, error);
        return [];
      }
      const stored: SegmentLines[] = [];
      for (const part of parts) stored.push(...(await this.add(part)));
      return stored;
    }
  }

  #tell(gathered: readonly SegmentLines[], error: unknown): void {
    for (const { place, lines } of gathered) {
      for (const { key } of lines) {
        if (this.#told.has(key)) continue;
        this.#told.set(key, true);
        const object = { ...place, uuid: uuidOfKey(key), reason: refusalText(error) };
        this.#log.error(object, 'an object is not found by its words: the database refuses them');
      }
    }
  }
}

/** By account and kind, else into halves; a single line stays as it is. */
const cut = (gathered: readonly SegmentLines[]): (readonly SegmentLines[])[] => {
  const [first] = gathered;
  if (!first || gathered.length > 1) return gathered.map((one) => [one]);
  const { place, lines } = first;
  if (lines.length < 2) return [gathered];
  const half = lines.length >> 1;
  return [lines.slice(0, half), lines.slice(half)].map((part) => [{ place, lines: part }]);
};
