/** A plan in the shape of MongoDB's explain. */
import type { Doc } from '../bson/document.ts';
import type { Interval } from './bounds.ts';
import { inverted } from './bounds-builder.ts';
import type { IndexAccess } from './index-access.ts';
import type { Plan } from './plan.ts';

/** The stages of a plan, outermost first. */
export function explainPlan(
  plan: Plan,
  query: { filter: Doc; sort: Doc | undefined; skip: number; limit: number; projection: Doc | undefined },
): Doc {
  let stage = readingStage(plan, query.filter);
  if (plan.mustSort) stage = { stage: 'SORT', sortPattern: query.sort, inputStage: stage };
  if (query.skip > 0) stage = { stage: 'SKIP', skipAmount: query.skip, inputStage: stage };
  if (query.limit > 0) stage = { stage: 'LIMIT', limitAmount: query.limit, inputStage: stage };
  if (query.projection)
    stage = { stage: 'PROJECTION_DEFAULT', transformBy: query.projection, inputStage: stage };
  return stage;
}

function readingStage(plan: Plan, filter: Doc): Doc {
  const shownFilter = plan.mustMatch ? { filter } : {};
  if (plan.accesses.length === 0) {
    return { stage: 'COLLSCAN', ...shownFilter, direction: plan.order?.reverse ? 'backward' : 'forward' };
  }
  const scans = plan.accesses.map((access) => indexScan(access, plan));
  const single = scans[0] as Doc;
  const isMerged = plan.order !== undefined && (scans.length > 1 || hasManyRangesToMerge(plan));
  const inputStage =
    scans.length === 1 && !isMerged ? single : { stage: isMerged ? 'SORT_MERGE' : 'OR', inputStages: scans };
  return { stage: 'FETCH', ...shownFilter, inputStage };
}

function hasManyRangesToMerge(plan: Plan): boolean {
  return (plan.order?.from ?? 0) > 0 && (plan.accesses[0] as IndexAccess).ranges.length > 1;
}

function indexScan({ index, bounds, ranges }: IndexAccess, plan: Plan): Doc {
  const indexBounds: Record<string, string[]> = {};
  for (const { path, intervals, descending } of bounds) {
    const inOrder = descending ? intervals.map(inverted).reverse() : intervals;
    indexBounds[path] = [...new Set([...(indexBounds[path] ?? []), ...inOrder.map(showInterval)])];
  }
  return {
    stage: 'IXSCAN',
    keyPattern: index.key,
    indexName: index.name,
    isMultiKey: index.multikey.some(Boolean),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partialFilterExpression !== undefined,
    indexVersion: 2,
    direction: plan.order?.reverse ? 'backward' : 'forward',
    indexBounds,
    rangeCount: ranges.length,
  };
}

/** The bytes of the keys between: this engine's own notation, as there is no document to show them by. */
function showInterval({ start, end, point }: Interval): string {
  return point ? `[${start.toString('hex')}]` : `[${start.toString('hex')}, ${end.toString('hex')})`;
}
