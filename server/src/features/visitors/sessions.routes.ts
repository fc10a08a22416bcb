import { NewVisitorSession, VisitorSession, Widget } from '@parlor/shared';
import { readBrowserHeaders } from '../../http/device.ts';
import { deleted } from '../../http/openapi/operation.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import type { Route } from '../../http/route.ts';
import { readObject } from '../../http/validate.ts';
import { forbidden } from '../../platform/errors.ts';
import type { SessionsService, Visitor } from './sessions.service.ts';

/** Erases what is kept of a visitor. @throws ParlorError `not_found` when it came through another widget */
interface VisitorErasure {
  erase(widgetToken: string, visitor: Visitor): Promise<void>;
}

const tag = 'Visitors';
const params = { widget_token: Widget.shape.token };

/** /api/v1/widgets/<widget_token>/sessions (docs/contract.md#visitors). */
export const sessionRoutes = ({
  erasure,
  rateLimits,
  sessions,
}: {
  erasure: VisitorErasure;
  rateLimits: RateLimits;
  sessions: SessionsService;
}): Route[] => [
  {
    method: 'POST',
    path: '/api/v1/widgets/{widget_token}/sessions/',
    cors: 'widget',
    limits: [{ group: 'sessions', after: 'nothing' }],
    id: 'openSession',
    tag,
    summary: 'Open a visitor’s session, or go on with it',
    description:
      'Reserves a room, which exists from the visitor’s first message or lead on. With `Authorization: Visitor` a fresh token for the same room. `Idempotency-Key` is ignored here.',
    callers: ['public', 'visitor'],
    params,
    body: NewVisitorSession,
    bodyExample: { page: { url: 'https://shop.example.com/', title: 'Shop', referrer: '' }, locale: 'en' },
    isBodyOptional: true,
    errors: [401, 403, 429],
    answers: { status: 201, description: 'The token of the session.', schema: VisitorSession },
    handler: async (ctx) => {
      const given = readObject(NewVisitorSession, ctx.state.body);
      const browser = { origin: ctx.get('Origin'), ...readBrowserHeaders((name) => ctx.get(name)) };
      const token = ctx.params?.widget_token ?? '';
      const { principal } = ctx.state;
      const session =
        principal?.kind === 'visitor'
          ? await sessions.renew(token, principal.visitor)
          : await sessions.open(token, given, browser, () => rateLimits.countAddress(ctx, 'rooms-day'));
      ctx.status = 201;
      ctx.set('Cache-Control', 'no-store');
      ctx.body = session;
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/widgets/{widget_token}/sessions/',
    cors: 'widget',
    id: 'eraseSession',
    tag,
    summary: 'Erase what the visitor wrote, and end the session',
    description:
      'The room with its messages and notifications, the leads left in it, responses kept for an Idempotency-Key, and ' +
      'what the session knows of the page and the browser. Deliveries in the log lose what was sent and answered. ' +
      'One that still waits is sent first, since every event is delivered, and loses it then, after 7 days at the ' +
      'latest.',
    callers: ['visitor'],
    params,
    answers: deleted,
    handler: async (ctx) => {
      const { principal } = ctx.state;
      if (principal?.kind !== 'visitor') throw forbidden();
      await erasure.erase(ctx.params?.widget_token ?? '', principal.visitor);
      ctx.status = 204;
    },
  },
];
