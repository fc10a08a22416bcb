/** Counting matches: by the index alone where it proves the filter, else by looking at the documents. */

import type { Plan } from '../planner/plan.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from './engine.ts';
import { matchesOf, planQuery, type Query } from './query.ts';

/** How many documents match, after skip and limit. Yields to other commands between time slices. */
export async function countMatches(engine: Engine, collection: Collection, query: Query): Promise<number> {
  const plan = planQuery(collection, query);
  const entries = entriesInRanges(engine, plan);
  if (entries !== undefined) {
    const left = Math.max(0, entries - query.skip);
    return query.limit > 0 ? Math.min(query.limit, left) : left;
  }
  let count = 0;
  for (const match of matchesOf(engine, plan, query)) {
    if (match) count++;
    else await pause(engine);
  }
  return count;
}

/** Yields to other commands in the middle of a stream. */
export async function pause(engine: Engine): Promise<void> {
  engine.environment.pauseScans();
  await new Promise((resolve) => setImmediate(resolve));
}

/** The number of keys in a plan's ranges, when each stands for a match of its own. */
function entriesInRanges(engine: Engine, plan: Plan): number | undefined {
  const [access] = plan.accesses;
  if (!access || plan.accesses.length > 1 || plan.mustMatch || access.mayRepeat) return undefined;
  const { entries, records } = engine.environment;
  const space = access.index.id === 0 ? records : entries;
  return access.ranges.reduce((sum, { low, high }) => sum + space.getKeysCount({ start: low, end: high }), 0);
}
