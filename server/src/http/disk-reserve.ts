import type { DiskReserve } from '../database/disk-reserve.ts';
import { diskNearlyFull } from '../database/unavailable.ts';
import type { Handler } from './context.ts';

const STORING = new Set(['POST', 'PUT', 'PATCH']);

/** Writes little, and is needed before anything can be deleted. */
const SIGN_IN = /^\/api\/v1\/auth\/(api-token|session|oidc\/code)\/?$/;

/** Before the routes: while only the disk's reserve is left, what stores is a 503; reading, signing in and deleting go on. */
export const keepDiskReserve =
  (reserve: DiskReserve | undefined): Handler =>
  (ctx, next) => {
    if (reserve?.isReached && STORING.has(ctx.method) && !SIGN_IN.test(ctx.path)) throw diskNearlyFull();
    return next();
  };
