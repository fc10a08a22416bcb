/** A range of days in UTC, as lists and statistics take them (docs/contract.md#lists); an empty one is open. */
export interface Days {
  start: string;
  end: string;
}

/** The ranges that have a name: a number of days up to today, or this month. */
export const RANGES = ['1', '7', '30', '90', 'month'] as const;
export type Range = (typeof RANGES)[number];

const DAY_MS = 86_400_000;

/** A moment's day in UTC: "2026-11-22". */
export const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The days of a range that has a name. */
export const daysOfRange = (range: Range, now = Date.now()): Days => {
  const end = isoDay(now);
  if (range === 'month') return { start: `${end.slice(0, 8)}01`, end };
  return { start: isoDay(now - (Number(range) - 1) * DAY_MS), end };
};

/** As many days, right before these. */
export const daysBefore = ({ start, end }: Days): Days => {
  const length = Date.parse(end) - Date.parse(start) + DAY_MS;
  return { start: isoDay(Date.parse(start) - length), end: isoDay(Date.parse(start) - DAY_MS) };
};

const IS_DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What a page's address says of days: `days` is a range with a name, else `from` and `to` are days. */
export const daysOf = (query: Readonly<Record<string, string>>): Days => {
  const range = RANGES.find((known) => known === query.days);
  if (range) return daysOfRange(range);
  const day = (text = ''): string => (IS_DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '');
  return { start: day(query.from), end: day(query.to) };
};

/** The days as a list's query, each only where it is set. */
export const dayQuery = ({ start, end }: Days): Record<string, string> => ({
  ...(start && { start_date: start }),
  ...(end && { end_date: end }),
});
