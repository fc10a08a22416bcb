import cors from '@koa/cors';
import type { Context, Handler } from './context.ts';

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

/** A visitor's sessions on a widget. */
const SESSION_ROUTES = /^\/api\/v1\/widgets\/[^/]+\/sessions\/?$/;

/** The public read of a widget: with `token`; without it the path is the owner's list, which no page may read. */
const WIDGET_ROUTE = /^\/api\/v1\/widgets\/?$/;

/** Routes that a visitor's token opens. */
const VISITOR_ROUTES = /^\/api\/v1\/(messages|leads(\/[^/]+)?|rooms\/[^/]+)\/?$/;

/** The agent API is opened by a public key alone, on whatever page it stands. */
const AGENT_ROUTES = /^\/api\/v1\/public\//;

/**
 * CORS for what a customer's page calls, by the widget or by an agent's public key, and for nothing else. Any page may read the answers, since
 * nothing there rests on cookies: a page that a widget's domain excludes, or that has a wrong token, has to learn it
 * from the 403 or 404 itself. The origin is checked where the request is answered.
 */
export const widgetCors = (): Handler => {
  const common = { exposeHeaders: EXPOSED_HEADERS, allowHeaders: ALLOWED_HEADERS, maxAge: MAX_AGE };
  // These answers differ by origin, so that caches have to keep one for each.
  const origin = (ctx: Context) => ctx.get('Origin');
  const ofWidget = cors({ ...common, allowMethods: ['GET'], origin });
  const ofSessions = cors({ ...common, allowMethods: ['POST', 'DELETE'], origin });
  const ofVisitor = cors({ ...common, allowMethods: ['GET', 'POST', 'PATCH'], origin: '*' });
  const ofAgent = cors({
    ...common,
    allowHeaders: AGENT_HEADERS,
    allowMethods: ['GET', 'POST'],
    origin: '*',
  });

  return (ctx, next) => {
    if (SESSION_ROUTES.test(ctx.path)) return ofSessions(ctx, next);
    if (WIDGET_ROUTE.test(ctx.path) && ctx.query.token !== undefined) return ofWidget(ctx, next);
    if (VISITOR_ROUTES.test(ctx.path)) return ofVisitor(ctx, next);
    if (AGENT_ROUTES.test(ctx.path)) return ofAgent(ctx, next);
    return next();
  };
};
