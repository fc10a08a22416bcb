/**
 * Indexes that are being built. Writers keep them up to date from their first entry on; nothing else knows of them before they
 * are whole. They are held in memory alone: to whoever opens the data directory after a crash they are garbage.
 */
import type { MongoError } from '../errors/mongo-error.ts';
import type { Collection, Index } from './collection.ts';

/** Indexes of one collection that are built together: all of them, or none. */
export class IndexBuild {
  readonly collectionId: number;
  readonly indexes: readonly Index[];
  /** Why it can't go on, once that is so. Nobody keeps its indexes up to date any more. */
  failure: MongoError | undefined;
  /** Settles when it has come to its end, whichever. */
  readonly ended: Promise<void>;
  /** Settles `ended`. */
  end: () => void = () => {};

  constructor(collectionId: number, indexes: readonly Index[]) {
    this.collectionId = collectionId;
    this.indexes = indexes;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }
}

export class IndexBuilds {
  readonly #builds = new Set<IndexBuild>();

  /** Whether nobody builds anything. */
  get isEmpty(): boolean {
    return this.#builds.size === 0;
  }

  add(build: IndexBuild): void {
    this.#builds.add(build);
  }

  /** Ends a build, whether its indexes are whole or not. */
  end(build: IndexBuild): void {
    this.#builds.delete(build);
    build.end();
  }

  /** Whether this is the number of an index that is being built, or is about to be given up. */
  has(indexId: number): boolean {
    return [...this.#builds].some(({ indexes }) => indexes.some(({ id }) => id === indexId));
  }

  /** The builds of a collection that are neither whole nor have failed. */
  of(collection: Collection): IndexBuild[] {
    return [...this.#builds].filter(
      ({ collectionId, failure, indexes: [first] }) =>
        collectionId === collection.id && !failure && !collection.indexes.some(({ id }) => id === first?.id),
    );
  }

  /** Forgets those whose beginning was rolled back: they are not marked. */
  forgetUnmarked(isMarked: (indexId: number) => boolean): void {
    for (const build of this.#builds) if (!build.indexes.every(({ id }) => isMarked(id))) this.end(build);
  }
}
