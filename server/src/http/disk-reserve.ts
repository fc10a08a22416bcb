import type { DiskReserve } from '../database/disk-reserve.ts';
import { diskNearlyFull } from '../database/unavailable.ts';
import type { Handler } from './context.ts';

const STORING = new Set(['POST', 'PUT', 'PATCH']);

/** What writes little: signing in, which is needed before anything can be deleted, and deleting a whole account. */
const MAKES_ROOM = /^\/api\/v1\/(auth\/(api-token|session|oidc\/code)|account\/delete)\/?$/i;

/** Before the routes: while only the disk's reserve is left, what stores is a 503; reading, signing in and deleting go on. */
export const keepDiskReserve =
  (reserve: DiskReserve | undefined): Handler =>
  (ctx, next) => {
    if (reserve?.isReached && STORING.has(ctx.method) && !MAKES_ROOM.test(ctx.path)) throw diskNearlyFull();
    return next();
  };
