/** The parts of an index field's key space that a condition allows. */

import { encodeValue } from '../index-key/entry-key.ts';
import { TYPE, typeByte } from '../index-key/value-key.ts';
import { after } from '../storage/key-space.ts';
import type { Bounds, Interval } from './bounds.ts';
import { isNullish, isRegex, type Predicate } from './conjunction.ts';
import { regexPrefix } from './regex-prefix.ts';

/** The bounds of one condition in ascending order; undefined when an index can't narrow it. */
export function boundsOf(predicate: Predicate): Bounds | undefined {
  if (predicate.bounds === undefined) predicate.bounds = workOut(predicate) ?? null;
  return predicate.bounds ?? undefined;
}

function workOut(predicate: Predicate): Bounds | undefined {
  const { operator, value } = predicate;
  switch (operator) {
    case 'eq':
      return equality(value);
    case 'in':
      return Array.isArray(value) ? membership(value) : undefined;
    case 'regex':
      return regex(value);
    case 'exists':
      return undefined;
    default:
      return comparison(operator, value);
  }
}

function point(value: unknown): Interval {
  const start = encodeValue(value);
  return { start, end: after(start), point: true };
}

function equality(value: unknown): Bounds | undefined {
  if (isNullish(value)) return { intervals: [point(null)], exact: false };
  if (Array.isArray(value)) {
    // A stored array has an entry for each element; an array inside an array has one for the whole.
    const intervals = ordered([point(value[0]), point(value)]);
    return { intervals, exact: false };
  }
  return { intervals: [point(value)], exact: true };
}

function membership(values: unknown[]): Bounds | undefined {
  const intervals: Interval[] = [];
  let exact = true;
  for (const value of values) {
    const bounds = isRegex(value) ? regex(value) : equality(value);
    if (!bounds) return undefined;
    exact &&= bounds.exact;
    intervals.push(...bounds.intervals);
  }
  return { intervals: ordered(intervals), exact };
}

function comparison(operator: 'gt' | 'gte' | 'lt' | 'lte', value: unknown): Bounds | undefined {
  const type = typeByte(value);
  if (!ORDERED_TYPES.has(type)) return undefined;
  const bytes = encodeValue(value);
  if (type === TYPE.number && bytes[1] === NAN_BYTE) return undefined;
  const low = type === TYPE.number ? Buffer.from([type, NAN_BYTE + 1]) : Buffer.from([type]);
  const high = Buffer.from([type + 1]);
  const interval = {
    gt: { start: after(bytes), end: high },
    gte: { start: bytes, end: high },
    lt: { start: low, end: bytes },
    lte: { start: low, end: after(bytes) },
  }[operator];
  return { intervals: nonEmpty([{ ...interval, point: false }]), exact: true };
}

/** The types whose values range operators compare by their encoding's order alone. */
const ORDERED_TYPES: ReadonlySet<number> = new Set([
  TYPE.number,
  TYPE.string,
  TYPE.objectId,
  TYPE.boolean,
  TYPE.date,
  TYPE.timestamp,
  TYPE.binary,
]);

/** The second byte of a NaN's key: it sorts before all numbers, and no range operator but with NaN finds it. */
const NAN_BYTE = 0x10;

function regex(value: unknown): Bounds | undefined {
  const prefix = regexPrefix(value);
  if (!prefix) return undefined;
  const start = Buffer.concat([Buffer.from([TYPE.string]), Buffer.from(prefix)]);
  const strings = { start, end: after(start), point: false };
  // A stored regular expression is matched by an equal one.
  const expressions = { start: Buffer.from([TYPE.regex]), end: Buffer.from([TYPE.regex + 1]), point: false };
  return { intervals: [strings, expressions], exact: false };
}

/** Sorts intervals and unites those that overlap. */
export function ordered(intervals: Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => a.start.compare(b.start) || b.end.compare(a.end));
  const united: Interval[] = [];
  for (const next of sorted) {
    const last = united.at(-1);
    if (!last || last.end.compare(next.start) <= 0) united.push(next);
    else if (last.end.compare(next.end) < 0) {
      united[united.length - 1] = { start: last.start, end: next.end, point: false };
    }
  }
  return united;
}

/** What two lists of intervals, each in ascending order and without overlaps, have in common. */
export function intersect(left: readonly Interval[], right: readonly Interval[]): Interval[] {
  const common: Interval[] = [];
  for (let i = 0, j = 0; ; ) {
    const a = left[i];
    const b = right[j];
    if (!a || !b) return common;
    const isFirst = a.end.compare(b.end) <= 0;
    const start = a.start.compare(b.start) >= 0 ? a.start : b.start;
    const end = isFirst ? a.end : b.end;
    if (start.compare(end) < 0) common.push({ start, end, point: a.point || b.point });
    if (isFirst) i++;
    else j++;
  }
}

/** Whether all of `inner` lies within `outer`. */
export function within(inner: readonly Interval[], outer: readonly Interval[]): boolean {
  return inner.every((a) => outer.some((b) => b.start.compare(a.start) <= 0 && a.end.compare(b.end) <= 0));
}

/** The same interval in a descending field's inverted bytes. */
export function inverted({ start, end, point }: Interval): Interval {
  return point ? pointAt(invert(start)) : { start: invertBound(end), end: invertBound(start), point };
}

function pointAt(start: Buffer): Interval {
  return { start, end: after(start), point: true };
}

function invert(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => ~byte & 0xff));
}

/**
 * A bound b divides keys into those below it and those that are b or begin with it or lie above. Inverted,
 * the latter lie below the first key after all that begin with ~b.
 */
function invertBound(bound: Buffer): Buffer {
  const bytes = invert(bound);
  return bytes.every((byte) => byte === 0xff) ? Buffer.from([0xff, 0xff]) : after(bytes);
}

function nonEmpty(intervals: Interval[]): Interval[] {
  return intervals.filter(({ start, end }) => start.compare(end) < 0);
}
