import type Router from '@koa/router';
import { ParlorError } from '../errors.ts';
import type { State } from '../http/context.ts';
import type { Services } from '../services.ts';

/** GET /healthz: alive. GET /readyz: the database is reachable, 503 with the reason until then (contract 8). */
export const healthRoutes = (router: Router<State>, { connection }: Pick<Services, 'connection'>): void => {
  router.get('/healthz', (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: 'alive' };
  });

  router.get('/readyz', async (ctx) => {
    await connection.db
      ?.admin()
      .ping({ timeoutMS: 2_000 })
      .catch((error: Error) => {
        throw new ParlorError('unavailable', `The database is not reachable: ${error.message}`, {
          headers: { 'Retry-After': '1' },
        });
      });
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: 'ready' };
  });
};
