/** A day or a month with its number. */
export interface Period {
  /** "2026-11-22" or "2026-11". */
  key: string;
  total: number;
}

/** Beyond this many days, months are shown. */
const MAX_DAYS = 120;

/** What the statistics by day say, by month where they are too many days. */
export const periodsOf = (
  results: readonly { day?: string | undefined; total: number }[],
): { isMonths: boolean; periods: Period[] } => {
  const days = results.map(({ day = '', total }) => ({ key: day, total }));
  if (days.length <= MAX_DAYS) return { isMonths: false, periods: days };
  const months = new Map<string, number>();
  for (const { key, total } of days) {
    const month = key.slice(0, 7);
    months.set(month, (months.get(month) ?? 0) + total);
  }
  return { isMonths: true, periods: [...months].map(([key, total]) => ({ key, total })) };
};

/** The end of the scale: the first of 4, 6, 8, 10, 20, 40 … that nothing goes beyond; half of it is a whole number, too. */
export const scaleOf = (most: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= most) ?? 10;
  return Math.max(4, step * power);
};
