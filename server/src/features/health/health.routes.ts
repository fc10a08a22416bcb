import type Router from '@koa/router';
import type { Connection } from 'mongoose';
import type { DiskReserve } from '../../database/disk-reserve.ts';
import { createReadiness } from '../../database/readiness.ts';
import { diskNearlyFull } from '../../database/unavailable.ts';
import type { State } from '../../http/context.ts';
import type { RateLimits } from '../../http/rate-limits.ts';

/** GET /healthz: the process answers. GET /readyz: the database takes writes of any size, 503 with the reason until then. */
export const healthRoutes = (
  router: Router<State>,
  {
    connection,
    diskReserve,
    rateLimits,
  }: {
    connection: Pick<Connection, 'collection'>;
    diskReserve: DiskReserve | undefined;
    rateLimits: RateLimits;
  },
): void => {
  const takesWrites = createReadiness(connection);

  router.get('/healthz', (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: 'alive' };
  });

  router.get('/readyz', async (ctx) => {
    const limit = rateLimits.of('readyz');
    const isSpent = limit?.isSpent(rateLimits.addressOf(ctx));
    if (isSpent) await rateLimits.countAddress(ctx, 'readyz');
    await takesWrites();
    ctx.set('Cache-Control', 'no-store');
    // Counted afterwards: a database that does not answer is to be told of, and not waited for.
    await rateLimits.countAddress(ctx, 'readyz');
    if (diskReserve?.isReached) throw diskNearlyFull();
    ctx.body = { status: 'ready' };
  });
};
