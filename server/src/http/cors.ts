import cors from '@koa/cors';
import type { Context, Handler } from './context.ts';
import { ByBeginning } from './indexed-router.ts';
import type { CorsPolicy, Route } from './route.ts';

/** Headers that a page's script may send. */
const SENT_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'];
const SENT_TO_AGENT = [
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Parlor-Client',
  'X-API-Key',
];

/** Headers that it may read. */
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

/** Longer than any that a browser names: a scheme, a name of 253 characters and a port. */
const MAX_ORIGIN = 300;

const originIn = (ctx: Context): string => {
  const origin = ctx.get('Origin');
  return origin.length > MAX_ORIGIN ? '' : origin;
};

/** How long browsers keep a preflight's response. */
const MAX_AGE_S = 600;

/** The routes of one path; without `apply` no page may call them. */
interface PathPolicy {
  path: string;
  pattern: RegExp;
  apply: Handler | undefined;
  isForPages: (ctx: Context) => boolean;
}

/** As the router takes a path: without regard to case, with or without a slash at its end. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\/$/, '').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i');

const policyOf = (policy: CorsPolicy, allowMethods: string[]): Handler =>
  cors({
    exposeHeaders: EXPOSED_HEADERS,
    allowHeaders: policy === 'agent' ? SENT_TO_AGENT : SENT_HEADERS,
    maxAge: MAX_AGE_S,
    allowMethods,
    // Responses to a widget differ by origin, so that caches have to keep one for each.
    origin: policy === 'widget' ? originIn : '*',
  });

/**
 * CORS for the routes that a customer's page calls, and for nothing else. Any page may read the responses, since nothing
 * there rests on cookies: a page that a widget's domain excludes, or that has a wrong token, has to learn it from the
 * 403 or 404 itself. The origin is checked where the request is answered.
 */
export const createCors = (routes: readonly Route[]): Handler => {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const policies = paths.map((path): PathPolicy => {
    const forPages = routes.filter((route) => route.path === path && route.cors !== undefined);
    const methods = forPages.map(({ method }) => method);
    const [first] = forPages;
    return {
      path,
      pattern: patternOf(path),
      apply: first?.cors && policyOf(first.cors, methods),
      isForPages: first?.isForPages ?? (() => true),
    };
  });
  const index = new ByBeginning(policies, ({ path }) => path);
  return (ctx, next) => {
    // The first that fits, as in the router: /leads/stats is no /leads/{uuid}.
    const policy = index.of(ctx.path).find(({ pattern }) => pattern.test(ctx.path));
    return policy?.apply && policy.isForPages(ctx) ? policy.apply(ctx, next) : next();
  };
};
