/** Changing many documents: at once when they are few and quickly found, else in parts that let others have turns. */

import { decode } from '../bson/document.ts';
import { timeExpired } from '../limits/pace.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { SeenRecords } from '../planner/seen-records.ts';
import type { Collection } from '../storage/collection.ts';
import { pause } from './count.ts';
import type { Engine } from './engine.ts';
import { type Match, matchesOf, planQuery, type Query } from './query.ts';

/** How much one transaction changes at most. */
interface PartSize {
  documents: number;
  bytes: number;
}

/** Long documents tend to have many index entries, thousands each, of which all are written in one go. */
const PART: PartSize = { documents: 500, bytes: 512 * 1024 };

/** What is changed is written anew before the old pages are free: on a nearly full disk little at a time. */
const SMALL_PART: PartSize = { ...PART, documents: 10 };

/** How much one transaction changes at most as things are. */
export const partSize = ({ environment }: Engine): PartSize =>
  environment.room.isScarce() ? SMALL_PART : PART;

/** How many documents matched, and how many of them a change changed. */
export interface ChangeCount {
  n: number;
  nModified: number;
}

/**
 * All matches of a query, for changing them in the running transaction; undefined when there are many or looking for
 * them takes long. All are found before the first change, which may move a document within the index being read.
 * A query for one document is never given up: finding and changing it is one step.
 */
export function fewMatches(engine: Engine, collection: Collection, query: Query): Match[] | undefined {
  const matches: Match[] = [];
  const part = partSize(engine);
  let bytes = 0;
  for (const match of matchesOf(engine, planQuery(engine, collection, query), query)) {
    bytes += match?.raw.length ?? 0;
    const isFew = matches.length === 0 || (matches.length < part.documents && bytes <= part.bytes);
    if (match && isFew) matches.push(match);
    else if (query.limit !== 1) return undefined;
  }
  return matches;
}

/**
 * Changes all matches of a query in parts. A document that no longer matches when its part's turn comes is left
 * alone; one that a change has moved to where it is found again is not changed twice. `change` runs inside of write
 * transactions, one of which may be tried again.
 */
export async function writeInBatches(
  engine: Engine,
  ns: string,
  query: Query,
  change: (collection: Collection, matches: Match[]) => ChangeCount,
): Promise<ChangeCount> {
  const total = { n: 0, nModified: 0 };
  const first = engine.catalog.get(ns);
  if (!first) return total;
  const matcher = compileMatch(query.filter);
  const plan = planQuery(engine, first, query);
  // Reading by the records' own order never meets a document twice.
  const seen = plan.accesses.some(({ index }) => index.id !== 0) ? new SeenRecords(plan.memory) : undefined;
  let found: Buffer[] = [];
  let part = partSize(engine);
  let bytes = 0;
  const changeFound = async () => {
    engine.environment.pauseScans();
    const { n, nModified } = await engine.environment.write(() => {
      plan.watch.check();
      return change(engine.catalog.get(ns) as Collection, [...stillMatching(engine, found, matcher)]);
    });
    total.n += n;
    total.nModified += nModified;
    found = [];
    part = partSize(engine);
    bytes = 0;
  };
  for (const match of matchesOf(engine, plan, query)) {
    if (!match) {
      await pause(engine);
      continue;
    }
    if (seen?.has(match.record)) continue;
    bytes += match.raw.length;
    if (found.push(match.record) < part.documents && bytes < part.bytes) continue;
    await changeFound();
    if (performance.now() > query.deadline) throw timeExpired();
  }
  if (found.length > 0) await changeFound();
  return total;
}

function* stillMatching(
  engine: Engine,
  records: readonly Buffer[],
  matcher: ReturnType<typeof compileMatch>,
): Generator<Match, void, void> {
  for (const record of records) {
    const raw = engine.environment.records.getBinary(record);
    if (!raw) continue;
    const doc = decode(raw);
    const result = matcher(doc);
    if (result) yield { record, raw, doc, result };
  }
}
