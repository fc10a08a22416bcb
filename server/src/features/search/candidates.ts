import { databaseAway } from '../../database/unavailable.ts';
import type { CpuBudget } from '../../platform/cpu-budget.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import { ANY, type IndexKey, keyOf } from './index-keys.ts';
import { type FoundLine, findLines, hasWord, newestFirst } from './lines.ts';
import type { Term } from './search-query.ts';
import type { StoredSegment } from './segments.model.ts';
import type { SegmentPlace, Segments } from './segments.ts';
import { widgetCandidates } from './widget-candidates.ts';

/**
 * How many sealed segments of a kind one search reads, in steps each twice the one before; the next page goes on behind them
 * (docs/limits.md).
 */
export const MAX_SEGMENTS = 7;

/** More fresh ones than this wait to be sealed only where that fails. */
const MAX_FRESH = 1_024;

/** How many words, the longest ones, the index is asked for. */
const MAX_KEYS = 4;

/** An object that may be one that is looked for; or where the reading of older ones ends. */
export type Candidate = FoundLine | { key: string; isEnd: true };

interface Wanted {
  terms: readonly Term[];
  /** Only those with smaller keys. */
  before: string | undefined;
  /** Whose are looked for; undefined for all. Of what is fresh others come along. */
  widgets?: readonly string[] | undefined;
}

/** Some MiB of them are read one after the other, and not by all searches at once. */
const freshTurns = new FairTurns({ running: 2, runningOfOne: 1, waitingOfOne: 1_000 }, databaseAway);

/** The lines of fresh segments, which lie anywhere; newest first. */
const freshLines = async (
  segments: Segments,
  place: SegmentPlace,
  { terms, before }: Wanted,
  budget: CpuBudget,
): Promise<FoundLine[]> => {
  const lines: FoundLine[] = [];
  const fresh = segments.freshOf(place, MAX_FRESH);
  const next = () => budget.waitFor(fresh.next());
  try {
    for (let step = await next(); !step.done; step = await next()) {
      await budget.checkpoint();
      lines.push(...findLines(step.value, terms, before));
    }
  } finally {
    await fresh.return();
  }
  return lines.sort(newestFirst);
};

/** The objects of one kind whose words may be those that are looked for, newest first. */
export async function* candidatesOf(
  segments: Segments,
  place: SegmentPlace,
  { terms, before, widgets }: Wanted,
  budget: CpuBudget,
): AsyncGenerator<Candidate, void, void> {
  const waiting = await budget.enter(
    (work: (given: undefined) => Promise<FoundLine[]>) =>
      freshTurns.run(place.account, () => work(undefined)),
    () => freshLines(segments, place, { terms, before }, budget),
  );
  const keys = keysFor(terms);
  if (widgets) {
    yield* inWidgets(segments, place, { terms, keys, before, widgets }, waiting, budget);
    return;
  }
  let key = keys[0];
  let last: string | undefined;
  for (let count = 0, step = 1; ; step *= 2) {
    const wanted = Math.min(step, MAX_SEGMENTS - count);
    const found = await budget.waitFor(read(segments, place, key, last ?? before, wanted));
    count += found.length;
    let rarer: IndexKey | undefined;
    for (const segment of found) {
      // Lines of newer segments stand here, too, where their sealing is under way, or somebody has died at it.
      const older = last ?? before;
      last = segment.from;
      // The index is asked for that one next: words that are rare are not looked for among all that have a common one.
      rarer = keys.find((one) => one !== key && !hasWord(segment, one.text));
      if (rarer !== undefined) break;
      await budget.checkpoint();
      yield* merged(waiting, findLines(segment, terms, older), segment.from);
    }
    if (rarer !== undefined) {
      key = rarer;
      step = 0.5;
    } else if (found.length < wanted) break;
    if (count === MAX_SEGMENTS) {
      const end = last ?? '';
      // Whoever goes on behind that place gets no fresh line before it any more.
      yield* merged(waiting, [], end);
      yield { key: end, isEnd: true };
      return;
    }
  }
  yield* waiting;
}

/** As `candidatesOf`, of some widgets. */
async function* inWidgets(
  segments: Segments,
  place: SegmentPlace,
  wanted: Parameters<typeof widgetCandidates>[2],
  waiting: FoundLine[],
  budget: CpuBudget,
): AsyncGenerator<Candidate, void, void> {
  const found = widgetCandidates(segments, place, wanted, budget);
  let end: string | undefined;
  for (let count = 0; count < MAX_SEGMENTS; ) {
    const { value, done } = await found.next();
    if (done) {
      end = value;
      break;
    }
    yield* merged(waiting, value.lines, value.from);
    end = value.from;
    // An object of an unknown widget is perhaps somebody else's.
    if (value.lines.some(({ widget }) => wanted.widgets.includes(widget))) count++;
  }
  if (end === undefined) {
    yield* waiting;
    return;
  }
  yield* merged(waiting, [], end);
  yield { key: end, isEnd: true };
}

/** The lines of a sealed segment together with those that wait, down to the place where the segment begins. */
function* merged(
  waiting: FoundLine[],
  own: Iterable<FoundLine>,
  from: string,
): Generator<FoundLine, void, void> {
  for (const line of own) {
    for (let next = waiting[0]; next && next.key >= line.key; next = waiting[0]) {
      waiting.shift();
      yield next;
    }
    yield line;
  }
  for (let next = waiting[0]; next && next.key >= from; next = waiting[0]) {
    waiting.shift();
    yield next;
  }
}

const read = (
  segments: Segments,
  place: SegmentPlace,
  key: IndexKey | undefined,
  before: string | undefined,
  limit: number,
): Promise<StoredSegment[]> => {
  const older = before === undefined ? {} : { from: { $lt: before } };
  return key === undefined
    ? segments.sealedBefore(place, older, limit)
    : segments.withKeys(place, [key.key, ANY], older, limit);
};

const keysFor = (terms: readonly Term[]): IndexKey[] => {
  const longestFirst = [...terms].sort((a, b) => b.text.length - a.text.length);
  const byKey = new Map<number, IndexKey>();
  for (const term of longestFirst) {
    const one = keyOf(term);
    if (one && !byKey.has(one.key)) byKey.set(one.key, one);
  }
  return [...byKey.values()].slice(0, MAX_KEYS);
};
