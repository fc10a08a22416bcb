import type { Duration } from '../platform/duration.ts';

/** Retry-After in either of its forms (RFC 9110, 10.2.3), in milliseconds from `now`; undefined when it is neither. */
export const readRetryAfter = (header: string | undefined, now: Date): Duration | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
};
