import type { OwnKeys } from '../jobs/own-keys.ts';
import type { Handler } from './context.ts';

/** What needs no key: whether the process is alive, and its figures. */
const WITHOUT_KEY = /^\/(healthz|metrics)\/?$/i;

/**
 * Before the routes: while the database does not take this server's key, no token or session can be told from a wrong one.
 * A 503 sends the caller to another server; a 401 would sign it out.
 */
export const refuseWithoutKey =
  (keys: Pick<OwnKeys, 'require'>): Handler =>
  (ctx, next) => {
    if (!WITHOUT_KEY.test(ctx.path)) keys.require();
    return next();
  };
