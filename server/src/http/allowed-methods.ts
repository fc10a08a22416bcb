import type Router from '@koa/router';
import { ParlorError } from '../platform/errors.ts';
import type { Context, Handler, State } from './context.ts';

/** The methods of a path, in alphabetical order; none when no route has it. */
type MethodsOf = (path: string) => readonly string[];

const sorted = (methods: Iterable<string>): string[] => [...new Set(methods)].sort();

/**
 * What the routes of a router answer. A path that is written out, such as /leads/stats, has its own methods only,
 * though one with a parameter, such as /leads/:uuid, fits it, too.
 */
export const createMethodsOf = (router: Router<State>): MethodsOf => {
  const literal = new Map<string, string[]>();
  for (const { path, methods } of router.stack) {
    const written = String(path).toLowerCase();
    const known = literal.get(written) ?? [];
    if (!written.includes(':')) literal.set(written, sorted([...known, ...methods]));
  }
  return (path) =>
    literal.get(path.replace(/\/$/, '').toLowerCase()) ??
    sorted(router.match(path, 'OPTIONS').path.flatMap((layer) => layer.methods));
};

/**
 * Around CORS: says of OPTIONS what the path has (RFC 9110, 9.3.7), of a preflight too, which then offers no method that
 * the path does not have.
 */
export const allowHeader =
  (methodsOf: MethodsOf): Handler =>
  async (ctx, next) => {
    if (ctx.method !== 'OPTIONS') return next();
    const methods = methodsOf(ctx.path);
    if (methods.length > 0) ctx.set('Allow', methods.join(', '));
    await next();
    const offered = ctx.response.get('Access-Control-Allow-Methods');
    if (!offered) return;
    const kept = String(offered)
      .split(',')
      .filter((method) => methods.includes(method));
    ctx.set('Access-Control-Allow-Methods', kept.join(','));
  };

/**
 * Whether a request's method is one of those that its path has; OPTIONS is answered here, with their names.
 * @throws ParlorError `method_not_allowed` for any other
 */
export const takesMethod = (ctx: Context, methods: readonly string[]): boolean => {
  if (methods.includes(ctx.method)) return true;
  ctx.set('Allow', methods.join(', '));
  if (ctx.method !== 'OPTIONS') {
    throw new ParlorError('method_not_allowed', `Method "${ctx.method}" not allowed.`);
  }
  ctx.status = 204;
  return false;
};

/** What files and pages have, which the router does not know. */
export const READ_METHODS = ['GET', 'HEAD'] as const;

/**
 * Between CORS and the routes: a method that the path does not have is a 405 with Allow, never a 501, and OPTIONS a 204
 * without credentials. What no route has goes on.
 */
export const onlyAllowed =
  (methodsOf: MethodsOf): Handler =>
  (ctx, next) => {
    const methods = methodsOf(ctx.path);
    return methods.length === 0 || takesMethod(ctx, methods) ? next() : undefined;
  };
