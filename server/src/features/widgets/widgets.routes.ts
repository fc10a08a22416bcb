import type Router from '@koa/router';
import { lookupLocale, NewWidget } from '@parlor/shared';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import { queryValue, readPage, sendPage } from '../../http/lists.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { precondition, sendCreated, sendObject, sendRepresentation } from '../../http/single-object.ts';
import { readObject, readPatch } from '../../http/validate.ts';
import { forbidden, invalid, notFound } from '../../platform/errors.ts';
import { accountOf } from '../accounts/principal.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { isAllowedOrigin } from './domain.ts';
import type { PublicWidget, PublicWidgets } from './public-widgets.ts';
import { presentWidget, type WidgetsService } from './widgets.service.ts';

/**
 * What every page view of a customer's site asks for: public, and cached for a while
 * (docs/contract.md#widget).
 */
const PUBLIC_CACHE = 'public, max-age=30, stale-while-revalidate=30';

/** Of `locale`, the languages that a visitor would like best. */
const MAX_LOCALES_LENGTH = 200;

/** /api/v1/widgets (specification 4, docs/contract.md#widget). */
export const widgetRoutes = (
  router: Router<State>,
  {
    authenticate,
    idempotent,
    widgets,
    quotas,
    publicWidgets,
    baseUrl,
    rateLimits,
  }: {
    authenticate: Authenticator;
    idempotent: Handler;
    widgets: WidgetsService;
    quotas: Quotas;
    publicWidgets: PublicWidgets;
    rateLimits: RateLimits;
    baseUrl(ctx: Context): string;
  },
): void => {
  const { account } = authenticate;
  const own = (ctx: Context): [account: string, token: string] => [
    accountOf(ctx)._id,
    ctx.params?.token ?? '',
  ];

  const shown = async (ctx: Context, token: string): Promise<PublicWidget> => {
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
    if (!isAllowedOrigin(widget.domain, ctx.get('Origin'))) throw forbidden();
    const wanted = (queryValue(ctx, 'locale') ?? '').slice(0, MAX_LOCALES_LENGTH).split(',');
    ctx.set('Cache-Control', PUBLIC_CACHE);
    sendRepresentation(ctx, widget.in(lookupLocale(wanted)));
  };

  /** With `token` the widget is public; the owner's own reads, and the list, need Authorization. */
  const publicByToken: Handler = async (ctx, next) => {
    const token = queryValue(ctx, 'token');
    if (/^token\s/i.test(ctx.get('Authorization'))) return next();
    if (token === undefined) {
      if (ctx.get('Authorization') !== '') return next();
      throw invalid({ token: ['This parameter is required.'] });
    }
    sendPublic(ctx, await shown(ctx, token));
  };

  router.get('/api/v1/widgets', publicByToken, account, async (ctx) => {
    const token = queryValue(ctx, 'token');
    if (token !== undefined) {
      const widget = await shown(ctx, token);
      const isOwn = widget.account === accountOf(ctx)._id;
      return isOwn ? sendRepresentation(ctx, widget.stored()) : sendPublic(ctx, widget);
    }
    const page = readPage(ctx);
    const steps = widgets.list(accountOf(ctx)._id, page);
    await sendPage(
      ctx,
      page,
      { steps, timeField: 'created_at', present: (found) => found.map(presentWidget) },
      baseUrl(ctx),
    );
  });

  router.post('/api/v1/widgets', account, jsonBody(), idempotent, async (ctx) => {
    const settings = readObject(NewWidget, ctx.state.body);
    const { _id: account } = accountOf(ctx);
    const { newUuid } = ctx.state;
    const widget = await quotas.within('widgets', account, newUuid, () =>
      widgets.create(account, settings, newUuid),
    );
    sendCreated(ctx, presentWidget(widget), `${baseUrl(ctx)}/api/v1/widgets/?token=${widget.token}`);
  });

  router.put('/api/v1/widgets/:token', account, jsonBody(), async (ctx) => {
    const wanted = readObject(NewWidget, ctx.state.body);
    sendObject(ctx, presentWidget(await widgets.change(...own(ctx), wanted, precondition(ctx))));
  });

  router.patch('/api/v1/widgets/:token', account, jsonBody(), async (ctx) => {
    const wanted = readPatch(NewWidget, ctx.state.body);
    sendObject(ctx, presentWidget(await widgets.change(...own(ctx), wanted, precondition(ctx))));
  });

  router.delete('/api/v1/widgets/:token', account, async (ctx) => {
    await widgets.delete(...own(ctx), precondition(ctx));
    ctx.status = 204;
  });
};
