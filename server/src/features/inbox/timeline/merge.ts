import type { Order, Page } from '../../../database/pages.ts';

/** What several collections are merged by. */
export interface Timed {
  _id: string;
  at: Date;
}

const isNewer = (a: Timed, b: Timed): boolean =>
  a.at > b.at || (a.at.getTime() === b.at.getTime() && a._id > b._id);

const isBefore = (a: Timed, b: Timed, order: Order): boolean =>
  order === -1 ? isNewer(a, b) : isNewer(b, a);

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

/** Takes the first of all, wherever it stands; undefined where there are no more, or one has to be read on first. */
const takeFirst = <T extends Timed>(all: readonly Reading<T>[], order: Order): T | undefined => {
  if (all.some(({ read, hasMore }) => read.length === 0 && hasMore)) return undefined;
  let first: Reading<T> | undefined;
  for (const one of all) {
    const last = one.read.at(-1);
    const known = first?.read.at(-1);
    if (last && (!known || isBefore(last, known, order))) first = one;
  }
  const taken = first?.read.pop();
  for (const { read } of all) if (taken && read.at(-1)?._id === taken._id) read.pop();
  return taken;
};

/** A source of what is known already: what a page that goes on after `after` has of it. */
export async function* sourceOf<T extends Timed>(
  known: readonly T[],
  after: Page['after'],
  order: Order,
): AsyncGenerator<T[]> {
  const place = after && { at: after.time, _id: after.id };
  yield known
    .filter((one) => !place || isBefore(place, one, order))
    .sort((a, b) => (isBefore(a, b, order) ? -1 : 1));
}

/**
 * Merges sources that are each in one order of (`at`, _id) into one of the same order, in steps. None is read further than
 * its turn takes; what stands in several of them comes once.
 */
export async function* mergeInOrder<T extends Timed>(
  sources: readonly AsyncGenerator<T[]>[],
  order: Order,
): AsyncGenerator<T[]> {
  const all = sources.map((steps): Reading<T> => ({ steps, read: [], hasMore: true }));
  for (;;) {
    await Promise.all(all.map(fill));
    const merged: T[] = [];
    for (let next = takeFirst(all, order); next; next = takeFirst(all, order)) merged.push(next);
    if (merged.length === 0) return;
    yield merged;
  }
}
