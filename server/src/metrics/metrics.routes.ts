import { timingSafeEqual } from 'node:crypto';
import type Router from '@koa/router';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';
import { forbidden, ParlorError } from '../errors.ts';
import type { Context, State } from '../http/context.ts';
import type { Metrics } from './metrics.ts';

const isEqual = (given: string, wanted: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** Whether a request comes from this machine itself; what a proxy on it hands on does not. */
const isLocal = (ctx: Context): boolean => {
  const address = ctx.req.socket.remoteAddress ?? '';
  if (['x-forwarded-for', 'forwarded', 'x-real-ip'].some((name) => name in ctx.headers)) return false;
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
};

/** GET /metrics: with METRICS_TOKEN as a Bearer token, without one from this machine only (contract 8). */
export const metricsRoutes = (
  router: Router<State>,
  { config, metrics }: { config: Config; metrics: Metrics },
): void => {
  router.get('/metrics', async (ctx) => {
    if (config.METRICS_TOKEN === '') {
      if (!isLocal(ctx)) throw forbidden();
    } else {
      const [, token = ''] = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization')) ?? [];
      if (!isEqual(token, config.METRICS_TOKEN)) {
        throw new ParlorError('not_authenticated', 'Invalid token.', {
          headers: { 'WWW-Authenticate': 'Bearer' },
        });
      }
    }
    const { type, text } = await metrics.text();
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', type);
    ctx.body = text;
  });
};
