/** Ranges of an index's keys. Lists of values stand for many of them, so each is made when it is asked for. */
import { MAX_KEY_BYTES } from '../index-key/entry-key.ts';
import { after } from '../storage/key-space.ts';
import type { Interval } from './bounds.ts';
import { inverted } from './bounds-builder.ts';

/** A range of stored keys. */
export interface KeyRange {
  low: Buffer;
  high: Buffer;
  /** The number of bytes that the prefix and each of the leading single-valued fields take, added up. */
  offsets: number[];
}

/** Ranges in ascending order; an array of them is one, too. */
export interface KeyRanges {
  readonly length: number;
  at(place: number): KeyRange | undefined;
}

/** What one field of the key may be. */
export interface FieldBounds {
  path: string;
  /** In ascending order of the values. */
  intervals: readonly Interval[];
  descending: boolean;
  /** Whether each interval is a single value. */
  arePoints: boolean;
}

/** The ranges that the bounds of an index's leading fields make: one for each combination of their intervals. */
export class CombinedRanges implements KeyRanges {
  readonly length: number;
  readonly #prefix: Buffer;
  readonly #fields: readonly FieldBounds[];

  constructor(prefix: Buffer, fields: readonly FieldBounds[]) {
    this.#prefix = prefix;
    this.#fields = fields;
    this.length = fields.reduce((count, { intervals }) => count * intervals.length, 1);
  }

  at(place: number): KeyRange | undefined {
    if (place >= this.length) return undefined;
    let low = this.#prefix;
    let high = this.#prefix;
    const offsets = [low.length];
    let combinations = this.length;
    for (const field of this.#fields) {
      combinations /= field.intervals.length;
      const interval = intervalAt(field, Math.floor(place / combinations) % field.intervals.length);
      high = Buffer.concat([low, interval.end]);
      low = Buffer.concat([low, interval.start]);
      if (field.arePoints) offsets.push(low.length);
    }
    return { low: searchable(low), high: searchable(high), offsets };
  }
}

/** The intervals of a field in the order of its keys are those of its values, or the other way round. */
function intervalAt({ intervals, descending }: FieldBounds, place: number): Interval {
  const interval = intervals[descending ? intervals.length - 1 - place : place] as Interval;
  return descending ? inverted(interval) : interval;
}

/** All ranges of a list in order, or backwards. */
export function* rangesOf(ranges: KeyRanges, reverse = false): Generator<KeyRange, void, void> {
  for (let i = 0; i < ranges.length; i++) yield ranges.at(reverse ? ranges.length - 1 - i : i) as KeyRange;
}

/**
 * The same end of a range as a key that LMDB can look for. No stored key is longer than that: those from a longer key on are
 * those behind all that begin as it does.
 */
function searchable(key: Buffer): Buffer {
  return key.length > MAX_KEY_BYTES ? after(key.subarray(0, MAX_KEY_BYTES)) : key;
}
