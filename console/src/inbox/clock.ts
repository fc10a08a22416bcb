import { signal } from '@preact/signals';

const EVERY_MS = 15_000;

/** The present moment (milliseconds since 1970), as exactly as "5 min" needs it. */
export const now = signal(Date.now());

setInterval(() => {
  now.value = Date.now();
}, EVERY_MS);
