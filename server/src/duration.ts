/** A length of time in milliseconds. */
export type Duration = number;

const UNITS: Record<string, Duration> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads `250ms`, `15s`, `5m`, `2h`, `1d`.
 * @throws Error that says what was expected.
 */
export const parseDuration = (text: string): Duration => {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  const unit = UNITS[match?.[2] ?? ''];
  if (!match || unit === undefined) throw new Error('a duration such as 250ms, 15s, 5m, 2h or 1d');
  return Number(match[1]) * unit;
};
