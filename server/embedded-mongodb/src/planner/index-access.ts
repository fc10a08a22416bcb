/** How one index answers a conjunction: which of its key ranges, what they prove, what order they give. */
import type { Collection, Index } from '../storage/collection.ts';
import { idPrefix } from '../storage/id-key.ts';
import { EVERYTHING, type Interval } from './bounds.ts';
import { boundsOf, intersect } from './bounds-builder.ts';
import type { Conjunction, Predicate } from './conjunction.ts';
import { CombinedRanges, type FieldBounds, type KeyRanges } from './key-ranges.ts';

export interface IndexAccess {
  index: Index;
  ranges: KeyRanges;
  /** How many leading fields are held to single values in each range. */
  pointFields: number;
  /** How many fields are bounded at all. */
  boundFields: number;
  /** The fields as the keys hold them: those of the index, and `_id` after them. */
  fields: { path: string; descending: boolean; multikey: boolean }[];
  /** Whether each entry in the ranges satisfies the whole conjunction. */
  exact: boolean;
  /** Whether a record may come up more than once. */
  mayRepeat: boolean;
  /** The bounds of each bounded field, in the order of its keys: what explain shows. */
  bounds: readonly FieldBounds[];
}

/** Lists of values of several fields make no more ranges than this: the fields after are checked by matching. */
const MAX_COMBINED = 1000;

/** Works out how `index` answers the conjunction. Without a condition on its first field that is all of it. */
export function accessBy(collection: Collection, index: Index, asked: Conjunction): IndexAccess {
  const onRecords = index.id === 0;
  const prefix = idPrefix(onRecords ? collection.id : index.id);
  const fields = keyFields(index);
  const used = new Set<Predicate>();
  const bounds: FieldBounds[] = [];
  let combinations = 1;
  let pointFields = 0;
  const boundRoots = new Set<string>();
  for (const field of fields) {
    const root = field.path.split('.')[0] as string;
    const shared = field.multikey && boundRoots.has(root);
    const intervals = shared ? undefined : fieldBounds(field, asked, used);
    const arePoints = intervals?.every((interval) => interval.point) ?? false;
    if (!intervals || isTooMany(combinations, intervals.length)) break;
    if (field.multikey) boundRoots.add(root);
    combinations *= intervals.length;
    bounds.push({ path: field.path, intervals, descending: field.descending, arePoints });
    if (!arePoints) break;
    pointFields++;
  }
  const ranges = new CombinedRanges(prefix, bounds.length > 0 ? bounds : [ALL]);
  const everyUsed = asked.predicates.every((predicate) => used.has(predicate));
  return {
    index,
    ranges,
    pointFields,
    boundFields: bounds.length,
    fields,
    exact: everyUsed && !asked.more && asked.alternatives.length === 0,
    mayRepeat: index.multikey.some((multikey, at) => multikey && !isOneValue(bounds[at])),
    bounds,
  };
}

/** A field that is not bounded, and so the last one. */
const ALL: FieldBounds = { path: '', intervals: [EVERYTHING], descending: false, arePoints: false };

/** One list alone may be of any length: a seek for each of its values costs less than everything else. */
function isTooMany(ranges: number, values: number): boolean {
  return ranges > 1 && values > 1 && ranges * values > MAX_COMBINED;
}

/** The keys of a record differ by what its arrays hold: where all that hold some are held to one value, it has one key. */
const isOneValue = (bounds: FieldBounds | undefined): boolean =>
  bounds?.arePoints === true && bounds.intervals.length === 1;

function keyFields(index: Index): IndexAccess['fields'] {
  const fields = index.fields.map((field, i) => ({
    path: field.path,
    descending: field.descending,
    multikey: index.multikey[i] === true,
  }));
  if (!fields.some((field) => field.path === '_id')) {
    fields.push({ path: '_id', descending: false, multikey: false });
  }
  return fields;
}

/**
 * The bounds that the conjunction sets on one field, in ascending order; `used` collects the conditions that
 * they prove. On a field that holds arrays two conditions may be met by two elements, so only one bounds it.
 */
function fieldBounds(
  field: { path: string; multikey: boolean },
  asked: Conjunction,
  used: Set<Predicate>,
): Interval[] | undefined {
  let intervals: Interval[] | undefined;
  for (const predicate of byUsefulness(asked.predicates, field.path)) {
    const bounds = boundsOf(predicate);
    if (!bounds) continue;
    if (intervals !== undefined && field.multikey) break;
    intervals = intervals === undefined ? bounds.intervals : intersect(intervals, bounds.intervals);
    if (bounds.exact) used.add(predicate);
  }
  return intervals;
}

const USEFULNESS = ['eq', 'in', 'regex', 'gt', 'gte', 'lt', 'lte', 'exists'];

function byUsefulness(predicates: readonly Predicate[], path: string): Predicate[] {
  return predicates
    .filter((predicate) => predicate.path === path)
    .sort((a, b) => USEFULNESS.indexOf(a.operator) - USEFULNESS.indexOf(b.operator));
}
