import type { Duration } from '../platform/duration.ts';

/** The clocks of servers may differ by this much (milliseconds). */
export const CLOCKS_DIFFER_MS = 60_000;

/** Before every time that is written. What has one is asked for as later than this: by `$exists` no sparse index is used. */
export const EVER = new Date(0);

/** A time that is written at most `ahead` of now is not later than this, unless the clock was put back since. */
export const latestDue = (ahead: Duration): Date => new Date(Date.now() + ahead + CLOCKS_DIFFER_MS);

/**
 * Matches a stored time that has come, and one that lies further ahead than it can: it was written before the clock was
 * put back, and would be waited for until the clock is there again.
 * @param before the time has come when it is not later than this
 * @param ahead how far ahead of now such a time is written at most (milliseconds)
 */
export const hasCome = (field: string, before: Date, ahead: Duration = 0) => ({
  $or: [{ [field]: { $lte: before } }, { [field]: { $gt: latestDue(ahead) } }],
});

/** The same of a time that was read. */
export const isPast = (time: Date, before: Date, ahead: Duration = 0): boolean =>
  time <= before || time > latestDue(ahead);

/**
 * Matches what was made before a time, by a field that says when: also what says a time that has not come yet, since it was
 * made before the clock was put back, and what says none, as of an earlier version.
 */
export const madeBefore = (field: string, before: Date) => ({
  [field]: { $not: { $gte: before, $lte: latestDue(0) } },
});

/** The same of what is made from an event: of when it was made, or of when that happened, where it says so. */
export const toldBefore = (madeAt: string, eventAt: string, before: Date) => ({
  $or: [
    madeBefore(madeAt, before),
    { $and: [{ [eventAt]: { $exists: true } }, madeBefore(eventAt, before)] },
  ],
});

/** The same of a time that was read. */
export const isBefore = (time: Date, before: Date): boolean => time < before || time > latestDue(0);
