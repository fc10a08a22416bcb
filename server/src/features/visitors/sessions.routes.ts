import type Router from '@koa/router';
import { NewVisitorSession } from '@parlor/shared';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { readObject } from '../../http/validate.ts';
import { forbidden } from '../../platform/errors.ts';
import { readBrowserHeaders } from './device.ts';
import type { SessionsService, Visitor } from './sessions.service.ts';

/** Erases what is kept of a visitor. @throws ParlorError `not_found` when it came through another widget */
interface VisitorErasure {
  erase(widgetToken: string, visitor: Visitor): Promise<void>;
}

/** /api/v1/widgets/<widget_token>/sessions (docs/contract.md#visitors). */
export const sessionRoutes = (
  router: Router<State>,
  {
    authenticate,
    erasure,
    rateLimits,
    sessions,
  }: {
    authenticate: Authenticator;
    erasure: VisitorErasure;
    rateLimits: RateLimits;
    sessions: SessionsService;
  },
): void => {
  const limited: Handler = async (ctx, next) => {
    await rateLimits.countAddress(ctx, 'sessions');
    await next();
  };

  router.post(
    '/api/v1/widgets/:token/sessions',
    limited,
    authenticate.visitorIfGiven,
    jsonBody(),
    async (ctx) => {
      const given = readObject(NewVisitorSession, ctx.state.body);
      const browser = { origin: ctx.get('Origin'), ...readBrowserHeaders((name) => ctx.get(name)) };
      const token = ctx.params.token ?? '';
      const { principal } = ctx.state;
      // A session reserves a room.
      if (principal?.kind !== 'visitor') await rateLimits.countAddress(ctx, 'rooms-day');
      const session =
        principal?.kind === 'visitor'
          ? await sessions.renew(token, principal.visitor)
          : await sessions.open(token, given, browser);
      ctx.status = 201;
      ctx.set('Cache-Control', 'no-store');
      ctx.body = session;
    },
  );

  router.delete('/api/v1/widgets/:token/sessions', authenticate.accountOrVisitor, async (ctx) => {
    const { principal } = ctx.state;
    if (principal?.kind !== 'visitor') throw forbidden();
    await erasure.erase(ctx.params.token ?? '', principal.visitor);
    ctx.status = 204;
  });
};
