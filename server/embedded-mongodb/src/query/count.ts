/** Counting matches: by the index alone where it proves the filter, else by looking at the documents. */

import type { Plan } from '../planner/plan.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from './engine.ts';
import { type Asker, stayFor } from './pace.ts';
import { matchesOf, planQuery, type Query } from './query.ts';

/** How many documents match, after skip and limit. Yields to other commands between time slices, and ends with its asker. */
export async function countMatches(
  engine: Engine,
  collection: Collection,
  query: Query,
  asker: Asker,
): Promise<number> {
  const plan = planQuery(collection, query);
  const entries = entriesInRanges(engine, plan);
  if (entries !== undefined) {
    const left = Math.max(0, entries - query.skip);
    return query.limit > 0 ? Math.min(query.limit, left) : left;
  }
  let count = 0;
  for (const match of matchesOf(engine, plan, query)) {
    if (match) count++;
    else await pauseReading(engine, asker);
  }
  return count;
}

/** Yields to other commands in the middle of a stream. */
export async function pause(engine: Engine): Promise<void> {
  engine.environment.pauseScans();
  await new Promise((resolve) => setImmediate(resolve));
}

/** The same in the middle of what is only read. @throws MongoError `ClientDisconnect` when its asker has gone meanwhile */
export async function pauseReading(engine: Engine, asker: Asker): Promise<void> {
  await pause(engine);
  stayFor(asker);
}

/** The number of keys in a plan's ranges, when each stands for a match of its own. */
function entriesInRanges(engine: Engine, plan: Plan): number | undefined {
  const [access] = plan.accesses;
  if (!access || plan.accesses.length > 1 || plan.mustMatch || access.mayRepeat) return undefined;
  const { entries, records } = engine.environment;
  const space = access.index.id === 0 ? records : entries;
  return access.ranges.reduce((sum, { low, high }) => sum + space.getKeysCount({ start: low, end: high }), 0);
}
