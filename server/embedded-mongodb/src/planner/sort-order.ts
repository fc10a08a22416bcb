/** Whether the keys of an index come in the order that a sort asks for. */
import type { IndexAccess } from './index-access.ts';

export interface SortField {
  path: string;
  descending: boolean;
}

export interface IndexOrder {
  /** Whether the index is read backwards. */
  reverse: boolean;
  /** From which field of the key on the order counts: the fields before it hold single values. */
  from: number;
}

/** Ranges are merged into one order up to this number; each holds a cursor. */
export const MAX_MERGED = 1000;

/**
 * Finds from which key field on an index access gives the sort's order, forwards or backwards; undefined when
 * it does not. `from` is tried from `atMost` down, so that all of an `$or`'s branches can agree on one.
 */
export function orderOf(
  access: IndexAccess,
  sort: readonly SortField[],
  atMost = access.pointFields,
): IndexOrder | undefined {
  for (let from = Math.min(atMost, access.pointFields); from >= 0; from--) {
    if (from > 0 && access.ranges.length > MAX_MERGED) continue;
    const reverse = matchesFrom(access, sort, from);
    if (reverse !== undefined) return { reverse, from };
  }
  return undefined;
}

function matchesFrom(access: IndexAccess, sort: readonly SortField[], from: number): boolean | undefined {
  const constant = new Set(
    access.fields
      .slice(0, from)
      .filter((field) => !field.multikey && access.ranges.length === 1)
      .map((f) => f.path),
  );
  const left = sort.filter((field) => !constant.has(field.path));
  if (left.length > access.fields.length - from && !endsAtId(access, left, from)) return undefined;
  let reverse: boolean | undefined;
  for (const [i, wanted] of left.entries()) {
    const field = access.fields[from + i];
    if (!field) return reverse ?? false;
    if (field.path !== wanted.path || field.multikey) return undefined;
    const opposite = field.descending !== wanted.descending;
    if (reverse !== undefined && reverse !== opposite) return undefined;
    reverse = opposite;
    // Nothing after the `_id` can change the order.
    if (field.path === '_id') return reverse;
  }
  return reverse ?? false;
}

function endsAtId(access: IndexAccess, left: readonly SortField[], from: number): boolean {
  const id = access.fields.findIndex((field) => field.path === '_id');
  return id >= from && left[id - from]?.path === '_id';
}
