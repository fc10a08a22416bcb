import type { Duration } from '../platform/duration.ts';

/** The form of `asctime`, which says no zone and means UTC: `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;

/**
 * Retry-After in either of its forms (RFC 9110, 10.2.3), a date in each of its own (5.6.7), in milliseconds from `now`;
 * undefined when it is neither. So many digits that no number holds them are Infinity.
 */
export const readRetryAfter = (header: string | undefined, now: Date): Duration | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(ASCTIME.test(text) ? `${text} UTC` : text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
};
