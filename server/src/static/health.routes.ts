import type Router from '@koa/router';
import { ParlorError } from '../errors.ts';
import type { State } from '../http/context.ts';
import type { Services } from '../services.ts';

/** GET /healthz: alive. GET /readyz: the database is reachable, 503 with the reason until then (contract 8). */
export const healthRoutes = (
  router: Router<State>,
  { connection, rateLimits }: Pick<Services, 'connection' | 'rateLimits'>,
): void => {
  router.get('/healthz', (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: 'alive' };
  });

  router.get('/readyz', async (ctx) => {
    const limit = rateLimits.of('readyz');
    const isSpent = limit?.isSpent(rateLimits.addressOf(ctx));
    if (isSpent) await rateLimits.countAddress(ctx, 'readyz');
    await connection.db
      ?.admin()
      .ping({ timeoutMS: 2_000 })
      .catch((error: Error) => {
        throw new ParlorError('unavailable', `The database is not reachable: ${error.message}`, {
          headers: { 'Retry-After': '1' },
        });
      });
    ctx.set('Cache-Control', 'no-store');
    // Counted afterwards: a database that does not answer is to be told of, and not waited for.
    await rateLimits.countAddress(ctx, 'readyz');
    ctx.body = { status: 'ready' };
  });
};
