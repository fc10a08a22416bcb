import { lookupLocale, NewWidget, Widget } from '@parlor/shared';
import { z } from 'zod';
import type { Context, Handler } from '../../http/context.ts';
import { queryValue, readPage, sendPage } from '../../http/lists.ts';
import { exampleOf } from '../../http/openapi/example.ts';
import { created, deleted, listQuery, patchOf, shown } from '../../http/openapi/operation.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import type { Route } from '../../http/route.ts';
import { precondition, sendCreated, sendObject, sendRepresentation } from '../../http/single-object.ts';
import { readObject, readPatch } from '../../http/validate.ts';
import { forbidden, invalid, notFound } from '../../platform/errors.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { accountOf, actionOf, memberNow, viewOf } from '../members/principal.ts';
import type { SessionCookie } from '../members/session-cookie.ts';
import { isInView } from '../members/view.ts';
import { isAllowedOrigin } from './domain.ts';
import type { PublicWidget, PublicWidgetCache } from './public-widget-cache.ts';
import type { SightingsService } from './sightings.service.ts';
import type { StoredWidget } from './widgets.model.ts';
import { presentWidget, type WidgetsService } from './widgets.service.ts';

/**
 * What every page view of a customer's site asks for: public, and cached for a while
 * (docs/contract.md#widget).
 */
const PUBLIC_CACHE = 'public, max-age=30, stale-while-revalidate=30';

/** Of `locale`, the languages that a visitor would like best. */
const MAX_LOCALES_LENGTH = 200;

const tag = 'Widgets';
const callers = ['account'] as const;
const LOCALES_QUERY = z.string().optional().meta({
  description: 'Language tags in the order of preference, with commas between them.',
  example: 'de-AT,de,en',
});
const params = { widget_token: Widget.shape.token };

/** /api/v1/widgets (specification 4, docs/contract.md#widget). */
export const widgetRoutes = ({
  widgets,
  quotas,
  publicWidgets,
  sightings,
  baseUrl,
  rateLimits,
  sessionCookie,
}: {
  widgets: WidgetsService;
  quotas: Quotas;
  publicWidgets: PublicWidgetCache;
  sightings: Pick<SightingsService, 'note'>;
  rateLimits: RateLimits;
  sessionCookie: Pick<SessionCookie, 'get'>;
  baseUrl(ctx: Context): string;
}): Route[] => {
  const own = (ctx: Context): [account: string, token: string] => [
    accountOf(ctx),
    ctx.params?.widget_token ?? '',
  ];

  const publicWidget = async (ctx: Context, token: string): Promise<PublicWidget> => {
    const widget = await publicWidgets.byToken(token);
    if (!widget) {
      await rateLimits.countAddress(ctx, 'unknown');
      throw notFound();
    }
    ctx.vary(['Origin', 'Authorization']);
    return widget;
  };

  /** What a visitor's browser gets: the texts filled, in the first of the wanted languages that is spoken. */
  const sendPublic = (ctx: Context, widget: PublicWidget): void => {
    const origin = ctx.get('Origin');
    if (!isAllowedOrigin(widget.domain, origin)) throw forbidden();
    if (origin !== '') sightings.note(widget, origin, ctx.ip);
    const wanted = (queryValue(ctx, 'locale') ?? '').slice(0, MAX_LOCALES_LENGTH).split(',');
    ctx.set('Cache-Control', PUBLIC_CACHE);
    sendRepresentation(ctx, widget.in(lookupLocale(wanted)));
  };

  /** With `token` the widget is public; the owner's own reads, and the list, need Authorization. */
  const publicByToken: Handler = async (ctx, next) => {
    const token = queryValue(ctx, 'token');
    if (/^token\s/i.test(ctx.get('Authorization'))) return next();
    if (token === undefined) {
      if (ctx.get('Authorization') !== '' || sessionCookie.get(ctx) !== '') return next();
      throw invalid({ token: ['This parameter is required.'] });
    }
    sendPublic(ctx, await publicWidget(ctx, token));
  };

  return [
    {
      method: 'GET',
      path: '/api/v1/widgets/',
      cors: 'widget',
      // Without `token` the path is the owner's list, which no page may read.
      isForPages: (ctx) => ctx.query.token !== undefined,
      before: publicByToken,
      id: 'retrieveWidget',
      tag,
      summary: 'The settings of one widget, or with Authorization your widgets',
      description:
        'With `token` it is public, cached, and answers browsers of the origins that `domain` allows; the 403 that others get, and the 404 for an unknown token, can be read by any page. Texts that the owner has not written come filled, in the first language of `locale` that the widget speaks, else in English; with the owner’s Authorization they come as they are stored. Without `token` it needs Authorization and lists the account’s widgets.',
      callers: ['public', 'account'],
      query: { token: Widget.shape.token.optional(), locale: LOCALES_QUERY, ...listQuery },
      condition: 'read',
      errors: [401, 403, 404, 429],
      answers: {
        status: 200,
        description: 'The widget; a list of widgets without `token`.',
        schema: z.union([Widget, z.array(Widget)]),
        example: exampleOf(Widget),
        headers: ['ETag', 'Link'],
      },
      handler: async (ctx) => {
        const token = queryValue(ctx, 'token');
        if (token !== undefined) {
          const widget = await publicWidget(ctx, token);
          return isInView(viewOf(ctx), widget)
            ? sendRepresentation(ctx, widget.stored())
            : sendPublic(ctx, widget);
        }
        const page = readPage(ctx);
        await sendPage(
          ctx,
          page,
          (now) => ({
            steps: widgets.list(viewOf(now), page),
            timeField: 'created_at',
            present: (found: StoredWidget[]) => found.map(presentWidget),
          }),
          baseUrl(ctx),
        );
      },
    },
    {
      method: 'POST',
      path: '/api/v1/widgets/',
      id: 'createWidget',
      tag,
      summary: 'Make one more widget',
      description: 'Every field has a default; its `token` is for the script tag. At most 100 an account.',
      callers,
      body: NewWidget,
      bodyExample: { name: 'Shop', domain: 'https://shop.example.com', color: '#0f766e' },
      isBodyOptional: true,
      isIdempotent: true,
      answers: created(Widget),
      handler: async (ctx) => {
        const whoNow = memberNow(ctx);
        const settings = readObject(NewWidget, ctx.state.body);
        const account = accountOf(ctx);
        const { newUuid } = ctx.state;
        const widget = await quotas.within('widgets', account, newUuid, whoNow, () =>
          widgets.create(account, settings, newUuid, actionOf(ctx)),
        );
        sendCreated(ctx, presentWidget(widget), `${baseUrl(ctx)}/api/v1/widgets/?token=${widget.token}`);
      },
    },
    {
      method: 'GET',
      path: '/api/v1/widgets/{widget_token}/',
      id: 'retrieveOwnWidget',
      tag,
      summary: 'One of your widgets',
      description: 'As it is stored: texts that nobody has written are empty, also for a member’s session.',
      callers,
      params,
      condition: 'read',
      answers: shown(Widget),
      handler: async (ctx) => {
        const widget = await widgets.byToken(ctx.params?.widget_token ?? '');
        const { account = '', _id } = widget ?? {};
        if (!widget || !isInView(viewOf(ctx), { account, widget: _id })) throw notFound();
        sendObject(ctx, presentWidget(widget));
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/widgets/{widget_token}/',
      id: 'updateWidget',
      tag,
      summary: 'Replace all fields',
      description: 'What is not sent goes back to its default. Open pages follow within half a minute.',
      callers,
      params,
      body: NewWidget,
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Widget),
      handler: async (ctx) => {
        const wanted = readObject(NewWidget, ctx.state.body);
        sendObject(
          ctx,
          presentWidget(await widgets.change(...own(ctx), wanted, precondition(ctx), actionOf(ctx))),
        );
      },
    },
    {
      method: 'PATCH',
      path: '/api/v1/widgets/{widget_token}/',
      id: 'changeWidget',
      tag,
      summary: 'Change one or some fields',
      description: 'What is not sent stays. Open pages follow within half a minute.',
      callers,
      params,
      body: patchOf(NewWidget, 'WidgetPatch'),
      bodyExample: { header_title: 'Ask us anything' },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Widget),
      handler: async (ctx) => {
        const wanted = readPatch(NewWidget, ctx.state.body);
        sendObject(
          ctx,
          presentWidget(await widgets.change(...own(ctx), wanted, precondition(ctx), actionOf(ctx))),
        );
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/widgets/{widget_token}/',
      id: 'deleteWidget',
      tag,
      summary: 'Delete a widget',
      description: 'Its visitors’ tokens are dead with it.',
      callers,
      params,
      condition: 'write',
      answers: deleted,
      handler: async (ctx) => {
        await widgets.delete(...own(ctx), precondition(ctx), actionOf(ctx));
        ctx.status = 204;
      },
    },
  ];
};
