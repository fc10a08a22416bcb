/** Chooses how a query is answered: which index, in which order, and what is left to check and to sort. */

import type { Doc } from '../bson/document.ts';
import type { HeldMemory } from '../limits/memory.ts';
import type { Collection, Index } from '../storage/collection.ts';
import { type Conjunction, conjunction } from './conjunction.ts';
import { hintedIndex, naturalHint } from './hint.ts';
import { accessBy, type IndexAccess } from './index-access.ts';
import { type KeyRange, rangesOf } from './key-ranges.ts';
import { type IndexOrder, MAX_MERGED, orderOf, type SortField } from './sort-order.ts';
import { isUsable } from './usable-index.ts';

export interface Plan {
  collection: Collection;
  /** The index accesses to unite; none means that all records are read. */
  accesses: IndexAccess[];
  /** The order in which the accesses are read; without one, forwards. */
  order: IndexOrder | undefined;
  /** Whether documents must be matched against the filter still. */
  mustMatch: boolean;
  /** Whether documents must be sorted still. */
  mustSort: boolean;
  score: number;
}

export interface PlanRequest {
  filter: Doc;
  sort: readonly SortField[];
  hasLimit: boolean;
  hint: unknown;
  /** Counts what the plan takes. */
  memory: HeldMemory;
}

/**
 * The best plan for a query on a collection. Fails with BadValue when a hint names no index, and when lists of values
 * or alternatives take too much memory.
 */
export function choosePlan(collection: Collection, request: PlanRequest): Plan {
  const asked = conjunction(request.filter);
  countLists(asked, request);
  const everything = isEmpty(asked);
  const natural = naturalHint(request.hint);
  const scan: Plan = {
    collection,
    accesses: [],
    order: natural === -1 ? { reverse: true, from: 0 } : undefined,
    mustMatch: !everything,
    mustSort: request.sort.length > 0,
    score: 0,
  };
  if (natural !== undefined) return scan;
  const indexes = request.hint === undefined ? collection.indexes : [hintedIndex(collection, request.hint)];
  const candidates = request.hint === undefined ? [scan] : [];
  for (const index of indexes) {
    const plan = planByIndex(collection, index, asked, request);
    if (!plan) continue;
    // Nothing finds less than one key that is unique.
    if (plan.score >= ONE_KEY) return plan;
    candidates.push(plan);
  }
  candidates.push(...planByAlternatives(collection, indexes, asked, request));
  let best = candidates[0] as Plan;
  for (const plan of candidates) if (plan.score > best.score) best = plan;
  return best;
}

function isEmpty(asked: Conjunction): boolean {
  return asked.predicates.length === 0 && asked.alternatives.length === 0 && !asked.more;
}

/** About what a value of a list takes in the heap as an interval of keys, and what the access of an index takes. */
const VALUE_BYTES = 300;
const ACCESS_BYTES = 1000;

function countLists({ predicates }: Conjunction, { memory }: PlanRequest): void {
  for (const { operator, value } of predicates) {
    if (operator === 'in' && Array.isArray(value)) memory.add(VALUE_BYTES * value.length);
  }
}

function planByIndex(
  collection: Collection,
  index: Index,
  asked: Conjunction,
  request: PlanRequest,
): Plan | undefined {
  const hinted = request.hint !== undefined;
  if (!hinted && !isUsable(index, asked)) return undefined;
  const access = accessBy(collection, index, asked);
  const order = request.sort.length > 0 ? orderOf(access, request.sort) : undefined;
  if (!hinted && access.boundFields === 0 && !order) return undefined;
  return {
    collection,
    accesses: [access],
    order,
    mustMatch: !access.exact,
    mustSort: request.sort.length > 0 && !order,
    score: scoreOf(access, order, request),
  };
}

/** Plans for a filter with one `$or`: each branch by an index, united, and in the sort's order if they agree. */
function planByAlternatives(
  collection: Collection,
  indexes: readonly Index[],
  asked: Conjunction,
  request: PlanRequest,
): Plan[] {
  const [branches] = asked.alternatives;
  if (!branches || asked.alternatives.length > 1) return [];
  request.memory.add(ACCESS_BYTES * branches.length * (1 + indexes.length));
  const parts = branches.map((branch) => {
    const inner = conjunction(branch);
    countLists(inner, request);
    return joined(asked, inner);
  });
  const usable = indexes.filter((index) => parts.some((part) => isUsable(index, part)));
  const accesses = parts.map((part) => {
    const pairs = usable
      .filter((index) => isUsable(index, part))
      .map((index) => accessBy(collection, index, part));
    return pairs.filter((access) => access.boundFields > 0);
  });
  if (accesses.some((found) => found.length === 0)) return [];
  const plans: Plan[] = [];
  for (const index of request.sort.length > 0 ? usable : []) {
    const same = accesses.map((found) => found.find((access) => access.index === index));
    const plan = uniteBySameIndex(collection, same, request);
    if (plan) plans.push(plan);
  }
  const mixed = accesses.map((found) => bestAccess(found, request));
  plans.push(united(collection, mixed, undefined, request));
  return plans;
}

function joined(outer: Conjunction, inner: Conjunction): Conjunction {
  return {
    predicates: [...outer.predicates, ...inner.predicates],
    alternatives: inner.alternatives,
    more: outer.more || inner.more,
  };
}

/** Ranges of all branches of an `$or` together that are merged into one order. */
const MAX_UNITED = 4 * MAX_MERGED;

function uniteBySameIndex(
  collection: Collection,
  same: readonly (IndexAccess | undefined)[],
  request: PlanRequest,
): Plan | undefined {
  const accesses = same.filter((access) => access !== undefined);
  if (accesses.length < same.length) return undefined;
  if (accesses.reduce((sum, { ranges }) => sum + ranges.length, 0) > MAX_UNITED) return undefined;
  for (let from = Math.min(...accesses.map((access) => access.pointFields)); from >= 0; from--) {
    const orders = accesses.map((access) => orderOf(access, request.sort, from));
    const first = orders[0];
    if (!first || first.from !== from) continue;
    if (orders.every((order) => order?.from === from && order.reverse === first.reverse)) {
      return united(collection, accesses, first, request);
    }
  }
  return undefined;
}

function bestAccess(found: readonly IndexAccess[], request: PlanRequest): IndexAccess {
  return found.reduce((best, access) =>
    scoreOf(access, undefined, request) > scoreOf(best, undefined, request) ? access : best,
  );
}

function united(
  collection: Collection,
  accesses: IndexAccess[],
  order: IndexOrder | undefined,
  request: PlanRequest,
): Plan {
  const score = Math.min(...accesses.map((access) => scoreOf(access, order, request)));
  const mustMatch = accesses.some((access) => !access.exact);
  const one = order && asOneAccess(accesses, order);
  if (one) {
    return { collection, accesses: [one], order: { ...order, from: 0 }, mustMatch, mustSort: false, score };
  }
  return {
    collection,
    accesses: accesses.map((access) => ({ ...access, mayRepeat: true })),
    order,
    mustMatch,
    mustSort: request.sort.length > 0 && !order,
    score,
  };
}

/**
 * Ranges of one index that agree in all that comes before the order need no merging: read one after the other
 * they are in order. That is how a page deep inside a list is asked for:
 * `{ account, $or: [{ created: { $lt } }, { created, _id: { $lt } }] }`.
 */
function asOneAccess(accesses: readonly IndexAccess[], order: IndexOrder): IndexAccess | undefined {
  const [first] = accesses as [IndexAccess];
  const ranges = accesses.flatMap((access) => [...rangesOf(access.ranges)]);
  const prefix = ranges[0]?.low.subarray(0, ranges[0].offsets[order.from]);
  if (!prefix || !ranges.every((range) => range.low.subarray(0, range.offsets[order.from]).equals(prefix))) {
    return undefined;
  }
  const united: KeyRange[] = [];
  for (const range of ranges.sort((a, b) => a.low.compare(b.low))) {
    const last = united.at(-1);
    if (!last || last.high.compare(range.low) < 0) united.push({ ...range });
    else if (last.high.compare(range.high) < 0) last.high = range.high;
  }
  const bounds = accesses.flatMap((access) => access.bounds);
  return { ...first, ranges: united, bounds, mayRepeat: first.index.multikey.some(Boolean) };
}

const ONE_KEY = 1_000_000;

/** Less a point for each: several unique keys find no more than as many, and come before whatever may find many. */
const SEVERAL_KEYS = 100_000;
const MANY_KEYS = 10_000;

/** The better plan has the higher score. Without statistics, what an index pins down stands for how few it reads. */
function scoreOf(access: IndexAccess, order: IndexOrder | undefined, request: PlanRequest): number {
  const { index, pointFields, boundFields, ranges } = access;
  const held = Math.min(pointFields, index.fields.length);
  if (index.unique && held === index.fields.length) {
    return ranges.length === 1 ? ONE_KEY : Math.max(SEVERAL_KEYS - ranges.length, MANY_KEYS);
  }
  const sorted = order ? (request.hasLimit ? 150 : 90) : 0;
  const bounded = held * 100 + (boundFields > pointFields ? 40 : 0);
  return bounded + sorted - index.fields.length - Math.min(ranges.length, 50) / 10 + 1;
}
