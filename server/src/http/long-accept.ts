import type { Handler } from './context.ts';

/** Characters of an `Accept` that is read; those of browsers have some 150. */
const MAX_ACCEPT = 1_000;

/**
 * Takes a longer `Accept` for none, as a server may (RFC 9110, 12.5.1): Koa's parser counts all of its quotes again for each
 * comma and semicolon, which takes 0.4 s for 16 KiB.
 */
export const ignoreLongAccept: Handler = ({ req: { headers } }, next) => {
  if ((headers.accept?.length ?? 0) > MAX_ACCEPT) delete headers.accept;
  return next();
};
