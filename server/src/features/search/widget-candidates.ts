import type { CpuBudget } from '../../platform/cpu-budget.ts';
import type { IndexKey } from './index-keys.ts';
import { type FoundLine, findLines, UNKNOWN_WIDGET } from './lines.ts';
import type { Term } from './search-query.ts';
import type { SegmentPlace, Segments } from './segments.ts';

/** How many sealed segments of a kind with something of its widgets one search goes through (docs/limits.md). */
export const MAX_WIDGET_SEGMENTS = 50;

/** How many of them are read at once; the first steps are smaller. */
const MAX_STEP = 4;

/** What a search by somebody who is restricted to some widgets looks for. */
interface WidgetSearch {
  terms: readonly Term[];
  /** What the segments have to have in the index. */
  keys: readonly IndexKey[];
  /** Only lines with smaller keys. */
  before: string | undefined;
  widgets: readonly string[];
}

/** Lines of some widgets in a sealed segment, newest first. */
export interface WidgetLines {
  lines: FoundLine[];
  /** Where the segment begins. */
  from: string;
}

/**
 * The lines of some widgets with all terms, by the sealed segments that have some, newest first.
 *
 * Which words other widgets' lines have must not show in where the reading ends: it goes by the number of segments that have any
 * line of these widgets, whatever that says. Their words only spare the reading of segments.
 * @returns the place behind which there may be more; undefined for none
 */
export async function* widgetCandidates(
  segments: Segments,
  place: SegmentPlace,
  { terms, keys, before, widgets }: WidgetSearch,
  budget: CpuBudget,
): AsyncGenerator<WidgetLines, string | undefined, void> {
  // Whose line of an unknown widget is, is found out when the object is read.
  const seen = [...widgets, UNKNOWN_WIDGET];
  const starts = await budget.waitFor(segments.startsOf(place, seen, before, MAX_WIDGET_SEGMENTS));
  const end = starts.length < MAX_WIDGET_SEGMENTS ? undefined : starts.at(-1);
  let older = before;
  for (let at = 0, step = 1, until = before; at < starts.length; step = Math.min(2 * step, MAX_STEP)) {
    at += step;
    const from = at < starts.length ? starts[at - 1] : end;
    // By range, not by id: what is cut in two meanwhile is read whole.
    const range = { ...(until !== undefined && { $lt: until }), ...(from !== undefined && { $gte: from }) };
    const found = await budget.waitFor(segments.ofWidgets(place, seen, keys, range));
    until = from;
    for (const segment of found) {
      await budget.checkpoint();
      const lines = [...findLines(segment, terms, older)].filter(({ widget }) => seen.includes(widget));
      older = segment.from;
      if (lines.length > 0) yield { lines, from: segment.from };
    }
  }
  return end;
}
