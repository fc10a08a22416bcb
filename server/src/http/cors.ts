import cors from '@koa/cors';
import type { Handler } from './context.ts';

/** Headers that a page's script may send and read on the routes that the widget uses. */
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'];
const AGENT_HEADERS = [
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Parlor-Client',
  'X-API-Key',
];
const EXPOSED_HEADERS = [
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Parlor-Client',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];
const MAX_AGE = 600;

/** Widget and session routes answer exactly the origins that the widget's domain allows (contract 4). */
const WIDGET_ROUTES = /^\/api\/v1\/widgets(?:\/([^/]+)\/sessions)?\/?$/;

/** Routes that a visitor's token opens: nothing there rests on cookies, so any origin may ask (contract 4). */
const VISITOR_ROUTES = /^\/api\/v1\/(messages|leads(\/[^/]+)?|rooms\/[^/]+)\/?$/;

/** The agent API is opened by a public key alone, on whatever page it stands. */
const AGENT_ROUTES = /^\/api\/v1\/public\//;

/**
 * CORS for what a customer's page calls, by the widget or by an agent's public key, and for nothing else.
 * @param isOriginAllowed whether the widget with that token may run on that origin
 */
export const widgetCors = (
  isOriginAllowed: (widgetToken: string, origin: string) => Promise<boolean>,
): Handler => {
  const common = { exposeHeaders: EXPOSED_HEADERS, allowHeaders: ALLOWED_HEADERS, maxAge: MAX_AGE };
  const ofWidget = cors({
    ...common,
    allowMethods: ['GET', 'POST', 'DELETE'],
    origin: async (ctx) => {
      const token = WIDGET_ROUTES.exec(ctx.path)?.[1] ?? String(ctx.query.token ?? '');
      const origin = ctx.get('Origin');
      return (await isOriginAllowed(token, origin)) ? origin : '';
    },
  });
  const ofVisitor = cors({ ...common, allowMethods: ['GET', 'POST', 'PATCH'], origin: '*' });

  const ofAgent = cors({
    ...common,
    allowHeaders: AGENT_HEADERS,
    allowMethods: ['GET', 'POST'],
    origin: '*',
  });

  return (ctx, next) => {
    if (WIDGET_ROUTES.test(ctx.path)) return ofWidget(ctx, next);
    if (VISITOR_ROUTES.test(ctx.path)) return ofVisitor(ctx, next);
    if (AGENT_ROUTES.test(ctx.path)) return ofAgent(ctx, next);
    return next();
  };
};
