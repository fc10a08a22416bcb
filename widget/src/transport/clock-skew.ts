/** Clocks that differ by less are right. */
const TOLERANCE_MS = 120_000;

/**
 * How far this device's clock is ahead of the server's (ms), as told by a message that was queued and acknowledged at
 * these times of the device and stored at that one of the server; 0 where both may be right. A message that is sent
 * again is acknowledged long after it was stored, so the answer's time alone tells nothing.
 */
export function clockSkew(queued: number, stored: number, acknowledged: number): number {
  if (queued - stored > TOLERANCE_MS) return queued - stored;
  if (stored - acknowledged > TOLERANCE_MS) return acknowledged - stored;
  return 0;
}
