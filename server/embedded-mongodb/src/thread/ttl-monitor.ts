/** What runs by itself: expired documents are removed, and what dropped collections left behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decode } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import type { Engine } from '../query/engine.ts';
import { allMatches, queryFor } from '../query/query.ts';
import type { Collection, Index } from '../storage/collection.ts';

/** As often as MongoDB looks for expired documents. */
const SWEEP_MS = 60_000;

/**
 * How much one transaction removes at most, some 2 ms, and how long the next one waits after it: a client whose
 * request takes several commands would otherwise wait for a transaction before each of them.
 */
const REMOVALS_PER_TRANSACTION = 100;
/** And on a nearly full disk: what is removed is free only afterwards. */
const REMOVALS_WHEN_SCARCE = 10;
const PAUSE_MS = 10;

/** How soon garbage is looked for after the last. */
const GARBAGE_MS = 1000;

/** Starts the sweeps; the answer stops them. */
export function startMonitors(engine: Engine, { keepExpired }: { keepExpired: boolean }): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  if (!keepExpired) void repeat(SWEEP_MS, () => removeExpired(engine, { signal }), signal);
  void repeat(GARBAGE_MS, () => removeGarbage(engine, signal), signal);
  return () => ending.abort();
}

async function repeat(every: number, sweep: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(every, undefined, { signal })
      .then(sweep)
      .catch(() => {});
  }
}

async function removeGarbage(engine: Engine, signal: AbortSignal): Promise<void> {
  const { garbage } = engine.catalog;
  if (garbage.isEmpty) return;
  while (await engine.environment.write(() => garbage.sweep(REMOVALS_PER_TRANSACTION))) {
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** Removes all documents that a TTL index says have expired. Gives how many. Rejects when `signal` ends it. */
export async function removeExpired(
  engine: Engine,
  { now = Date.now(), signal }: { now?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let removed = 0;
  for (const { ns, indexes } of engine.catalog.list()) {
    for (const index of indexes) {
      if (index.expireAfterSeconds === undefined) continue;
      const most = engine.environment.room.isScarce() ? REMOVALS_WHEN_SCARCE : REMOVALS_PER_TRANSACTION;
      for (let last = most; last === most; ) {
        last = await engine.environment.write(() => {
          const collection = engine.catalog.get(ns);
          const isThere = collection?.indexes.some(({ id }) => id === index.id);
          return collection && isThere ? removeSome(engine, collection, index, now, most) : 0;
        });
        removed += last;
        if (last > 0) await sleep(PAUSE_MS, undefined, { signal });
      }
    }
  }
  return removed;
}

function removeSome(engine: Engine, collection: Collection, index: Index, now: number, most: number): number {
  const limit = new Date(now - (toNumber(index.expireAfterSeconds) as number) * 1000);
  const path = (index.fields[0] as { path: string }).path;
  // Only dates expire; an array expires by its earliest date, which is the one that this range finds first.
  const filter = { [path]: { $lte: limit } };
  const query = queryFor(filter, { limit: most, hint: index.name });
  const matches = allMatches(engine, collection, query);
  for (const { record, raw, doc } of matches) {
    engine.writer.remove(collection, record, doc ?? decode(raw), raw.length);
  }
  return matches.length;
}
