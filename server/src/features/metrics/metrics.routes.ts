import { timingSafeEqual } from 'node:crypto';
import type Router from '@koa/router';
import type { Context, State } from '../../http/context.ts';
import type { Config } from '../../platform/config.ts';
import { ParlorError } from '../../platform/errors.ts';
import type { Metrics } from './metrics.ts';

const isEqual = (given: string, wanted: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
};

const checkBearer = (ctx: Context, token: string): void => {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization')) ?? [];
  if (isEqual(given, token)) return;
  throw new ParlorError('not_authenticated', 'Invalid token.', { headers: { 'WWW-Authenticate': 'Bearer' } });
};

/**
 * GET /metrics, for whoever has METRICS_TOKEN as a Bearer token, and without one for nobody: behind a proxy every
 * request looks as if it came from this machine. A listener of its own (METRICS_LISTEN) needs no token.
 */
export const metricsRoutes = (
  router: Router<State>,
  { config, metrics }: { config: Pick<Config, 'METRICS_TOKEN'>; metrics: Metrics },
  isOwnListener = false,
): void => {
  router.get('/metrics', async (ctx) => {
    if (config.METRICS_TOKEN !== '') checkBearer(ctx, config.METRICS_TOKEN);
    else if (!isOwnListener) {
      throw new ParlorError(
        'forbidden',
        'Metrics need METRICS_TOKEN, or a listener of their own: METRICS_LISTEN.',
      );
    }
    const { type, text } = await metrics.text();
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', type);
    ctx.body = text;
  });
};
