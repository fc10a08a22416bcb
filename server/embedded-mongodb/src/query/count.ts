/** Counting matches: by the index alone where it proves the filter, else by looking at the documents. */

import { type Asker, Pace, stayFor } from '../limits/pace.ts';
import type { IndexAccess } from '../planner/index-access.ts';
import { rangesOf } from '../planner/key-ranges.ts';
import type { Plan } from '../planner/plan.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from './engine.ts';
import type { PlanWatch } from './plan-watch.ts';
import { matchesOf, planQuery, type Query } from './query.ts';

/**
 * Keys that are counted in one native call: at most some milliseconds. Finding where the next call begins also goes past the
 * range's end, by no more than these; so they are few at first.
 */
const FIRST_KEYS = 64;
const GROWTH = 8;
const MOST_KEYS = 32_768;

/** What going past a key costs, in bytes of a document that is processed: the most are a slice of their own. */
const KEY_BYTES = 8;

/** How many documents match, after skip and limit. Yields to other commands between time slices, and ends with its asker. */
export async function countMatches(
  engine: Engine,
  collection: Collection,
  query: Query,
  asker: Asker,
): Promise<number> {
  const plan = planQuery(engine, collection, query);
  const proof = provenByKeys(plan);
  if (proof) {
    const keys = await countKeys(engine, proof, plan.watch, query, asker).finally(() =>
      plan.memory.release(),
    );
    return Math.max(0, keys - query.skip);
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

/** A plan's access, when it has only one, and each key in its ranges stands for a match of its own. */
function provenByKeys({ accesses, mustMatch }: Plan): IndexAccess | undefined {
  const [access] = accesses;
  return accesses.length === 1 && !mustMatch && !access?.mayRepeat ? access : undefined;
}

/** The number of keys in an access's ranges, no more than skip and limit need. */
async function countKeys(
  engine: Engine,
  { index, ranges }: IndexAccess,
  watch: PlanWatch,
  query: Query,
  asker: Asker,
): Promise<number> {
  const { entries, records } = engine.environment;
  const space = index.id === 0 ? records : entries;
  const most = query.limit > 0 ? query.skip + query.limit : Number.POSITIVE_INFINITY;
  const pace = new Pace(query);
  let count = 0;
  for (const { low, high } of rangesOf(ranges)) {
    let atOnce = FIRST_KEYS;
    for (let start: Buffer | undefined = low; start; atOnce = Math.min(atOnce * GROWTH, MOST_KEYS)) {
      const range: { start: Buffer; end: Buffer } = { start, end: high };
      [start] = space.getKeys({ ...range, offset: atOnce, limit: 1 });
      count += start ? atOnce : space.getKeysCount(range);
      if (count >= most) return most;
      if (!pace.isOver(atOnce * KEY_BYTES)) continue;
      await pauseReading(engine, asker);
      watch.check();
      pace.goOn();
    }
  }
  return count;
}
