import type { MappedCollection } from '../../database/collection-data.ts';
import { neededBy } from './account-objects.ts';
import type { ReadDocument } from './foreign-objects.ts';
import { ImportError } from './import-lines.ts';

/** How many objects may be awaited at a time: an export writes those first that others need. */
const MOST_AWAITED = 100_000;

/** Which of some objects of a collection are there, in what was read in or stored. */
type AreThere = (collection: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Sees to it that what an account brings has what it needs (database/collection-data.ts): a message without its room could be
 * neither answered nor deleted. A file may hold the two in either order.
 */
export class NeededObjects {
  readonly #needs: ReadonlyMap<string, [field: string, collection: string][]>;
  readonly #areThere: AreThere;
  /** What has not come yet, by collection and id, and the first line that needs it. */
  readonly #open = new Map<string, Map<string, number>>();

  readonly #most: number;
  #awaited = 0;

  constructor(collections: readonly MappedCollection[], areThere: AreThere, most = MOST_AWAITED) {
    this.#most = most;
    this.#needs = new Map(collections.map(({ name, data }) => [name, neededBy(data)]));
    this.#areThere = areThere;
  }

  /** Takes down what some objects of a collection need. @throws ImportError where too much of that has not come yet */
  async note(collection: string, read: readonly ReadDocument[]): Promise<void> {
    for (const [field, needed] of this.#needs.get(collection) ?? []) {
      const lines = new Map<string, number>();
      for (const { document, line } of read) {
        const id = String(document[field]);
        if (!lines.has(id)) lines.set(id, line);
      }
      const open = this.#open.get(needed) ?? new Map<string, number>();
      this.#open.set(needed, open);
      for (const id of await this.#absent(needed, lines)) {
        if (open.has(id)) continue;
        const line = lines.get(id) ?? 0;
        if (++this.#awaited > this.#most)
          throw new ImportError(
            `line ${line}: more than ${this.#most} objects that are needed have not come yet`,
          );
        open.set(id, line);
      }
    }
  }

  /** To be called once all is read. @throws ImportError */
  async check(): Promise<void> {
    for (const [collection, lines] of this.#open) {
      const [id] = await this.#absent(collection, lines);
      if (id === undefined) continue;
      const kind = collection.slice(0, -1);
      throw new ImportError(
        `line ${lines.get(id)}: an object of the ${kind} ${id.slice(0, 100)}, which is neither in the file nor here`,
      );
    }
  }

  async #absent(collection: string, lines: ReadonlyMap<string, number>): Promise<string[]> {
    const ids = [...lines.keys()];
    const there = ids.length > 0 ? await this.#areThere(collection, ids) : new Set<string>();
    return ids.filter((id) => !there.has(id));
  }
}
