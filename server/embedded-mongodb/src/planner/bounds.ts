/** The keys from `start` (inclusive) to `end` (exclusive) of one field's encoding. */
export interface Interval {
  start: Buffer;
  end: Buffer;
  /** Whether exactly one value lies in it, so that the next field of a compound index can be bounded too. */
  point: boolean;
}

export interface Bounds {
  intervals: Interval[];
  /** Whether every entry in the intervals satisfies the condition, so that it needs no further check. */
  exact: boolean;
}

/** Everything, and nothing known about it. */
export const EVERYTHING: Interval = { start: Buffer.from([0]), end: Buffer.from([0xff]), point: false };
