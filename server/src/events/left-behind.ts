import { latestDue } from '../database/has-come.ts';
import type { HolderModel } from './announced.ts';
import { OLDEST, SENT_TOGETHER } from './backlogs.ts';
import type { EventHolder } from './events.ts';

/** Events that are older than this were left behind by a process when it died (milliseconds). */
export const LEFT_BEHIND_AFTER_MS = 2_000;

interface Search {
  /** Accounts whose events are not looked for. */
  leftOut: readonly string[];
  /** Whether also those are whose time lies ahead, since the clock was put back after they were written. */
  isAheadToo: boolean;
  /** Of each collection. */
  limit: number;
  /** Whether the next collection is not looked at any more. */
  isOver(): boolean;
}

/** Documents with events that were left behind, with the oldest of these, collection after collection. */
export async function* leftBehind(
  models: readonly HolderModel[],
  { leftOut, isAheadToo, limit, isOver }: Search,
): AsyncGenerator<{ model: HolderModel; holder: EventHolder }, void, void> {
  const past = { $lte: new Date(Date.now() - LEFT_BEHIND_AFTER_MS) };
  const others = leftOut.length > 0 && { 'events.account': { $nin: leftOut as string[] } };
  const options = { projection: OLDEST, sort: { 'events.at': 1 }, limit, batchSize: SENT_TOGETHER } as const;
  // Two queries: an index of arrays gives the two ranges in no order together.
  for (const at of isAheadToo ? [past, { $gt: latestDue(0) }] : [past]) {
    for (const model of models) {
      if (isOver()) return;
      const holders = model.collection.find<EventHolder>({ 'events.at': at, ...others }, options);
      for await (const holder of holders) yield { model, holder };
    }
  }
}
