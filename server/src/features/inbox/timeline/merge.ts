/** What several collections are merged by. */
export interface Timed {
  _id: string;
  at: Date;
}

const isNewer = (a: Timed, b: Timed): boolean =>
  a.at > b.at || (a.at.getTime() === b.at.getTime() && a._id > b._id);

/** A source with what has been read of it and not given yet. */
interface Reading<T> {
  steps: AsyncGenerator<T[]>;
  read: T[];
  hasMore: boolean;
}

const fill = async <T>(one: Reading<T>): Promise<void> => {
  while (one.read.length === 0 && one.hasMore) {
    const { value, done } = await one.steps.next();
    one.hasMore = done !== true;
    if (value) one.read = value.toReversed();
  }
};

/** Takes the newest of all; undefined where there are no more, or one has to be read on first. */
const takeNewest = <T extends Timed>(all: readonly Reading<T>[]): T | undefined => {
  if (all.some(({ read, hasMore }) => read.length === 0 && hasMore)) return undefined;
  let newest: Reading<T> | undefined;
  for (const one of all) {
    const last = one.read.at(-1);
    const known = newest?.read.at(-1);
    if (last && (!known || isNewer(last, known))) newest = one;
  }
  return newest?.read.pop();
};

/**
 * Merges sources that are each newest first by (`at`, _id) into one of the same order, in steps. None is read further than
 * its turn takes.
 */
export async function* mergeNewestFirst<T extends Timed>(
  sources: readonly AsyncGenerator<T[]>[],
): AsyncGenerator<T[]> {
  const all = sources.map((steps): Reading<T> => ({ steps, read: [], hasMore: true }));
  for (;;) {
    await Promise.all(all.map(fill));
    const merged: T[] = [];
    for (let next = takeNewest(all); next; next = takeNewest(all)) merged.push(next);
    if (merged.length === 0) return;
    yield merged;
  }
}
