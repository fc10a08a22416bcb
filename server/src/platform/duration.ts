/** A length of time in milliseconds. */
export type Duration = number;

const UNITS: Record<string, Duration> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const WORDS: readonly (readonly [string, Duration])[] = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

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

/** A duration in words such as `14 h` or `1 min 30 s`. */
export const describeDuration = (duration: Duration): string => {
  const parts: string[] = [];
  let left = duration;
  for (const [word, unit] of WORDS) {
    const count = Math.floor(left / unit);
    if (count > 0) parts.push(`${count} ${word}`);
    left -= count * unit;
  }
  return parts.join(' ') || '0 s';
};
