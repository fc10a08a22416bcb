/** A query from filter to documents: planned, matched, sorted, cut, projected; a stream all the way. */

import { type Doc, decode } from '../bson/document.ts';
import { type HeldMemory, heapSize } from '../limits/memory.ts';
import { Pace } from '../limits/pace.ts';
import { compileMatch, type MatchResult } from '../matcher/matcher.ts';
import { conjunction } from '../planner/conjunction.ts';
import { type Effort, type Hit, runPlan, type Step } from '../planner/execute.ts';
import { choosePlan, type Plan } from '../planner/plan.ts';
import type { SortField } from '../planner/sort-order.ts';
import { compileStoredProjection } from '../projection/projection.ts';
import { compileSort } from '../sort/sort.ts';
import { type Sortable, Sorter } from '../sort/sorter.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from './engine.ts';
import { PlanWatch } from './plan-watch.ts';

export interface Query {
  filter: Doc;
  sort: Doc | undefined;
  skip: number;
  /** 0 for no limit. */
  limit: number;
  projection: Doc | undefined;
  hint: unknown;
  /** When it has to have ended, by `performance.now()`. */
  deadline: number;
}

/** A query for all documents that match a filter. */
export function queryFor(filter: Doc, more: Partial<Query> = {}): Query {
  const rest = { sort: undefined, skip: 0, limit: 0, projection: undefined, hint: undefined };
  return { filter, ...rest, deadline: Number.POSITIVE_INFINITY, ...more };
}

/** What a stream gives instead of a document when its time slice is used up: the reader yields before it asks for more. */
export type Pause = undefined;

/** A stored document that matches a query. `doc` is there when matching had to read it. */
export interface Match extends Hit {
  doc: Doc | undefined;
  result: MatchResult | undefined;
}

/** About what sorting keeps of a document in the heap beside its bytes and what it is sorted by. */
const SORTABLE_BYTES = 300;

/** A plan, what counts the memory that it takes until it has run, and what ends it when it leads nowhere any more. */
export interface PlannedQuery extends Plan {
  memory: HeldMemory;
  watch: PlanWatch;
}

/**
 * Plans a query. Checks its sort, too. `matchesOf` lets go of the plan's memory in the end; who does not run it does so himself.
 */
export function planQuery(engine: Engine, collection: Collection, query: Query): PlannedQuery {
  const sort = sortFields(query.sort);
  const memory = engine.memory.begin('Planning');
  try {
    // The filter itself, and what matching makes of it.
    memory.add(2 * heapSize(query.filter));
    const plan = choosePlan(collection, {
      filter: query.filter,
      // Nor does MongoDB sort the one document of an `_id`, and so it finds no fault with parallel arrays in it.
      sort: isForOneId(query) ? [] : sort,
      hasLimit: query.limit > 0,
      hint: query.hint,
      memory,
    });
    return Object.assign(plan, { memory, watch: new PlanWatch(engine.catalog, plan) });
  } catch (error) {
    memory.release();
    throw error;
  }
}

function isForOneId({ filter, skip, hint }: Query): boolean {
  if (skip > 0 || hint !== undefined) return false;
  const { predicates, alternatives, more } = conjunction(filter);
  const [first] = predicates;
  if (!first || predicates.length > 1 || alternatives.length > 0 || more || first.path !== '_id')
    return false;
  if (first.operator === 'in') return Array.isArray(first.value) && first.value.length === 1;
  return first.operator === 'eq';
}

/** The documents of a query as BSON, after its projection. Stored bytes stay untouched without one. */
export function* documentsOf(
  engine: Engine,
  collection: Collection,
  query: Query,
): Generator<Buffer | Pause, void, void> {
  const project = query.projection && compileStoredProjection(query.projection, query.filter);
  for (const match of matchesOf(engine, planQuery(engine, collection, query), query)) {
    yield !match ? undefined : project ? project(match.raw, match.doc) : match.raw;
  }
}

/** The documents of a query in its order, after skip and limit. */
export function* matchesOf(
  engine: Engine,
  plan: PlannedQuery,
  query: Query,
  effort: Effort = { keysExamined: 0, docsExamined: 0 },
): Generator<Match | Pause, void, void> {
  try {
    const matched = matching(runPlan(engine.environment, plan, effort, plan.memory), plan, query);
    const inOrder = plan.mustSort ? sorted(engine, matched, query) : matched;
    let position = 0;
    for (const match of inOrder) {
      if (match && position++ < query.skip) continue;
      yield match;
      plan.watch.check();
      if (query.limit > 0 && position >= query.skip + query.limit) return;
    }
  } finally {
    plan.memory.release();
  }
}

/** All matches of a query at once: for writing, where nothing else has its turn in between anyway. */
export function allMatches(engine: Engine, collection: Collection, query: Query): Match[] {
  const matches: Match[] = [];
  for (const match of matchesOf(engine, planQuery(engine, collection, query), query))
    if (match) matches.push(match);
  return matches;
}

function* matching(
  hits: Iterable<Hit | Step>,
  plan: Plan,
  query: Query,
): Generator<Match | Pause, void, void> {
  // Compiled even when the plan proves the filter: a filter that is wrong has to be refused either way.
  const matcher = compileMatch(query.filter);
  const pace = new Pace(query);
  for (const hit of hits) {
    if (pace.isOver(hit?.raw.length ?? 0)) {
      yield undefined;
      pace.goOn();
    }
    if (!hit) continue;
    const { record, raw } = hit;
    if (!plan.mustMatch) {
      yield { record, raw, doc: undefined, result: undefined };
      continue;
    }
    const doc = decode(raw);
    const result = matcher(doc);
    if (result) yield { record, raw, doc, result };
  }
}

interface SortableMatch extends Sortable {
  keys: Doc;
  match: Match;
}

/** Sorts in memory, keeping no more than the query's limit, and of each document only what it is sorted by. */
function* sorted(
  engine: Engine,
  matches: Iterable<Match | Pause>,
  query: Query,
): Generator<Match | Pause, void, void> {
  const memory = engine.memory.begin('Sort');
  try {
    const spec = query.sort as Doc;
    const compare = compileSort(spec);
    const roots = [...new Set(Object.keys(spec).map((path) => path.split('.')[0] as string))];
    const wanted = query.limit > 0 ? query.skip + query.limit : Number.POSITIVE_INFINITY;
    const pace = new Pace(query);
    const byKeys = (a: SortableMatch, b: SortableMatch) => compare(a.keys, b.keys);
    const sorter = new Sorter(byKeys, wanted, pace, memory);
    for (const found of matches) {
      if (!found) {
        yield undefined;
        continue;
      }
      const { doc, ...match } = found;
      const full = doc ?? decode(match.raw);
      const keys: Doc = {};
      for (const root of roots) if (Object.hasOwn(full, root)) keys[root] = full[root];
      const bytes = SORTABLE_BYTES + match.raw.length + heapSize(keys);
      yield* sorter.add({ keys, match: { ...match, doc: undefined }, bytes });
    }
    for (const { match } of yield* sorter.inOrder()) {
      if (pace.isOver(match.raw.length)) {
        yield undefined;
        pace.goOn();
      }
      yield match;
    }
  } finally {
    memory.release();
  }
}

/** Reads a sort specification for the planner. */
export function sortFields(sort: Doc | undefined): SortField[] {
  if (!sort) return [];
  compileSort(sort);
  return Object.entries(sort).map(([path, direction]) => ({ path, descending: Number(direction) < 0 }));
}
