/** Whether a sparse or partial index holds every document that a conjunction can match. */

import { TYPE } from '../index-key/value-key.ts';
import type { Index } from '../storage/collection.ts';
import type { Interval } from './bounds.ts';
import { boundsOf, intersect, within } from './bounds-builder.ts';
import { type Conjunction, conjunction, type Predicate } from './conjunction.ts';

/** Whether the index may answer the conjunction at all. */
export function isUsable(index: Index, asked: Conjunction): boolean {
  if (index.sparse && !index.fields.some((field) => demandsPresence(asked, field.path))) return false;
  if (!index.partialFilterExpression) return true;
  const held = conjunction(index.partialFilterExpression);
  return !hasUnknown(index.partialFilterExpression) && held.predicates.every((part) => implies(asked, part));
}

/** Whether the expression has parts beyond plain conditions, which are never taken as implied. */
function hasUnknown(expression: Record<string, unknown>): boolean {
  const held = conjunction(expression);
  // `more` is also set by $exists, which is judged below, so the operators are looked at by name.
  const known = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte', '$exists', '$and']);
  const unknownOperator = JSON.stringify(expression).match(/"\$[A-Za-z]+"(?=:)/g) ?? [];
  return held.alternatives.length > 0 || unknownOperator.some((name) => !known.has(name.slice(1, -1)));
}

function demandsPresence(asked: Conjunction, path: string): boolean {
  return asked.predicates.some((predicate) => predicate.path === path && excludesMissing(predicate));
}

function excludesMissing(predicate: Predicate): boolean {
  if (predicate.operator === 'exists') return isTruthy(predicate.value);
  const bounds = boundsOf(predicate);
  return bounds !== undefined && intersect(bounds.intervals, [NULLS]).length === 0;
}

const NULLS: Interval = {
  start: Buffer.from([TYPE.undefined]),
  end: Buffer.from([TYPE.null + 1]),
  point: false,
};

function implies(asked: Conjunction, held: Predicate): boolean {
  const onPath = asked.predicates.filter((predicate) => predicate.path === held.path);
  if (held.operator === 'exists') return isTruthy(held.value) && onPath.some(excludesMissing);
  const outer = boundsOf(held);
  if (!outer?.exact) return false;
  return onPath.some((predicate) => {
    const inner = boundsOf(predicate);
    return inner !== undefined && within(inner.intervals, outer.intervals);
  });
}

function isTruthy(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return false;
  return !(typeof value === 'object' && Number(String(value)) === 0);
}
