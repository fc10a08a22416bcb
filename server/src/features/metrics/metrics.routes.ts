import { timingSafeEqual } from 'node:crypto';
import type Router from '@koa/router';
import type { Context, State } from '../../http/context.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import type { Config } from '../../platform/config.ts';
import { ParlorError } from '../../platform/errors.ts';
import type { Metrics } from './metrics.ts';

const isEqual = (given: string, wanted: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
};

const hasBearer = (ctx: Context, token: string): boolean => {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization')) ?? [];
  return isEqual(given, token);
};

const invalidToken = (): ParlorError =>
  new ParlorError('not_authenticated', 'Invalid token.', { headers: { 'WWW-Authenticate': 'Bearer' } });

/**
 * GET /metrics, for whoever has METRICS_TOKEN as a Bearer token, and without one for nobody: behind a proxy every
 * request looks as if it came from this machine. A listener of its own (METRICS_LISTEN) needs no token.
 */
export const metricsRoutes = (
  router: Router<State>,
  {
    config,
    metrics,
    rateLimits,
  }: {
    config: Pick<Config, 'METRICS_TOKEN'>;
    metrics: Metrics;
    /** Counts wrong tokens; who reaches a listener of its own is for the operator to say. */
    rateLimits: Pick<RateLimits, 'countAddress'> | undefined;
  },
): void => {
  router.get('/metrics', async (ctx) => {
    if (config.METRICS_TOKEN !== '') {
      if (!hasBearer(ctx, config.METRICS_TOKEN)) {
        await rateLimits?.countAddress(ctx, 'unknown');
        throw invalidToken();
      }
    } else if (rateLimits) {
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
