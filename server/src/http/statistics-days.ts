import type { Days } from '../database/pages.ts';
import { invalid } from '../platform/errors.ts';

const DAY_MS = 86_400_000;

/** The longest range that is shown day by day. */
const MAX_DAYS = 3_660;

/** A moment's day in UTC: "2026-11-22". */
export const isoDay = (date: Date): string => date.toISOString().slice(0, 10);

/** The days that statistics are of, in UTC. */
export interface StatisticsDays {
  /** Midnight at the beginning of the first day, and of the day after the last. */
  start: Date;
  end: Date;
  start_date: string;
  end_date: string;
}

/** The days that were asked for, by default those of the current UTC month to now. */
export const statisticsDays = ({ from, until }: Days): StatisticsDays => {
  const now = new Date();
  const last = until ? new Date(until.getTime() - DAY_MS) : from && from > now ? from : now;
  const start = from ?? new Date(`${isoDay(last).slice(0, 8)}01`);
  const end = new Date(new Date(isoDay(last)).getTime() + DAY_MS);
  return { start, end, start_date: isoDay(start), end_date: isoDay(last) };
};

/** @throws ParlorError `invalid` when they are too many to be shown one by one */
export const checkDays = ({ start, end }: StatisticsDays): void => {
  if (end.getTime() - start.getTime() <= MAX_DAYS * DAY_MS) return;
  throw invalid({ start_date: [`At most ${MAX_DAYS} days can be shown one by one.`] });
};

/** Each of the days, oldest first. */
export const daysOf = ({ start, end }: StatisticsDays): string[] =>
  Array.from({ length: (end.getTime() - start.getTime()) / DAY_MS }, (_, n) =>
    isoDay(new Date(start.getTime() + n * DAY_MS)),
  );
