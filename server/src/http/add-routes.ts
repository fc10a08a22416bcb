import type Router from '@koa/router';
import { forbidden, isRefusal } from '../platform/errors.ts';
import type { Authenticator } from './authenticator.ts';
import { type BodyBounds, createBodyReader } from './body-reader.ts';
import type { Context, Handler, State } from './context.ts';
import { jsonBody } from './json-body.ts';
import type { RateLimits } from './rate-limits.ts';
import { workOnBody } from './request-bodies.ts';
import type { Route, RouteLimit } from './route.ts';
import { callerNow } from './turns.ts';

interface Parts {
  authenticate: Authenticator;
  idempotent(isForGood: boolean): Handler;
  rateLimits: Pick<RateLimits, 'count' | 'countAddress' | 'countShared'>;
}

/** A path as @koa/router takes it, with or without a slash at its end. */
const routerPath = (path: string): string => path.replace(/\/$/, '').replace(/\{(\w+)\}/g, ':$1');

/** Puts routes into a router, each with what its description asks for, in the order that every route has. */
export const addRoutes = (router: Router<State>, routes: readonly Route[], parts: Parts): void => {
  for (const route of routes) {
    router.register(routerPath(route.path), [route.method], middlewareOf(route, parts));
  }
};

const middlewareOf = (route: Route, { authenticate, idempotent, rateLimits }: Parts): Handler[] => {
  const count = async (ctx: Context, after: RouteLimit['after']): Promise<void> => {
    for (const limit of route.limits ?? []) if (limit.after === after) await countBy(rateLimits, limit, ctx);
  };
  const limited = (after: RouteLimit['after']): Handler[] => {
    if (!route.limits?.some((limit) => limit.after === after)) return [];
    return [
      async (ctx, next) => {
        await count(ctx, after);
        await next();
      },
    ];
  };
  const reading = (read: Handler): Handler => lateBody(countRefused(read, (ctx) => count(ctx, 'body')));
  const given = (handler: Handler | undefined): Handler[] => (handler ? [handler] : []);
  return [
    (ctx, next) => {
      ctx.state.operation = route.id;
      ctx.state.authenticateAgain = () => authenticate.again(ctx);
      const caller = callerNow(ctx);
      ctx.state.stillAllowed = async () => void (await caller());
      return next();
    },
    ...limited('nothing'),
    ...given(route.before),
    ...authenticating(route, authenticate),
    ...limited('credential'),
    ...given(route.beforeBody),
    // What makes a POST safe to repeat compares its body, also where nothing is taken from it.
    ...(route.body || route.isIdempotent ? [reading(jsonBody())] : []),
    ...(route.bytes ? [reading(bytesBody(route.bytes))] : []),
    ...limited('body'),
    ...given(route.aroundKept),
    ...(route.isIdempotent ? [idempotent(route.isIdempotent === 'for good')] : []),
    // It may have waited for its limits, its body and its Idempotency-Key: what was erased meanwhile is not written again.
    async (ctx) => {
      await ctx.state.stillAllowed();
      await route.handler(ctx);
    },
  ];
};

/** Counts a request by a limit of its route. @throws ParlorError `throttled` */
const countBy = async (
  rateLimits: Parts['rateLimits'],
  { group, key, instead }: RouteLimit,
  ctx: Context,
): Promise<void> => {
  if (key) return rateLimits.count(ctx, group, key(ctx));
  await rateLimits.countAddress(ctx, group).catch(async (error) => {
    // What the database could not count is no limit that was reached.
    const own = isRefusal(error) ? await instead?.key(ctx) : undefined;
    if (!instead || own === undefined) throw error;
    await rateLimits.countShared(ctx, instead.group, own);
  });
};

/** A body that is refused costs its reading, too: it counts as one that was read does. */
const countRefused =
  (read: Handler, count: (ctx: Context) => Promise<void>): Handler =>
  async (ctx, next) => {
    let isRead = false;
    try {
      await read(ctx, () => {
        isRead = true;
        return next();
      });
    } catch (error) {
      if (!isRead && isRefusal(error)) await count(ctx);
      throw error;
    }
  };

/** Authenticates again where the body was not there yet: 30 s may pass until it is, and who was removed meanwhile does nothing. */
const lateBody =
  (read: Handler): Handler =>
  async (ctx, next) => {
    const isThere = ctx.req.complete;
    await read(ctx, async () => {
      if (!isThere) await ctx.state.authenticateAgain();
      await next();
    });
  };

/** Reads a body that is not JSON into ctx.state.bytes. */
const bytesBody = (bounds: BodyBounds): Handler => {
  const read = createBodyReader(bounds);
  return (ctx, next) =>
    workOnBody(ctx, async () => {
      ctx.state.bytes = await read(ctx);
      await next();
    });
};

const authenticating = ({ callers }: Route, authenticate: Authenticator): Handler[] => {
  const has = (caller: Route['callers'][number]): boolean => callers.includes(caller);
  if (has('agent')) return [authenticate.agent];
  if (has('account')) return [has('visitor') ? authenticate.accountOrVisitor : authenticate.account];
  if (!has('visitor')) return [];
  return has('public') ? [authenticate.visitorIfGiven] : [authenticate.accountOrVisitor, onlyVisitors];
};

/** An account's token is good, and opens nothing here. @throws ParlorError `forbidden` */
const onlyVisitors: Handler = (ctx, next) => {
  if (ctx.state.principal?.kind !== 'visitor') throw forbidden();
  return next();
};
