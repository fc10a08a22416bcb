/** A byte as two hex digits. */
const hex = (byte: number): string => (byte + 256).toString(16).slice(1);

/**
 * A new Idempotency-Key: a UUID of version 7 (RFC 9562, 5.7), under which messages and notes are safe to repeat for good.
 * `crypto.randomUUID` is missing on pages that are served over plain http, and makes version 4.
 * @param at when it is made, ms
 */
export const newIdempotencyKey = (at: number): string => {
  const time = at.toString(16).padStart(12, '0');
  const random = Array.from(crypto.getRandomValues(new Uint8Array(9)), hex).join('');
  const [a, b, c] = [random.slice(0, 3), random.slice(3, 6), random.slice(6)];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${a}-8${b}-${c}`;
};
