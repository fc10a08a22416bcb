import type Router from '@koa/router';
import { NewKeyword } from '@parlor/shared';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import { readPage, sendPage } from '../../http/lists.ts';
import { precondition, sendCreated, sendObject } from '../../http/single-object.ts';
import { pathUuid, readObject } from '../../http/validate.ts';
import { accountOf } from '../accounts/principal.ts';
import { type KeywordsService, presentKeyword } from './keywords.service.ts';
import { type NotificationsService, READ_TOGETHER } from './notifications.service.ts';

/**
 * /api/v1/keyword_notifications (specification 4) and /api/v1/keywords
 * (docs/contract.md#keyword-notification).
 */
export const keywordRoutes = (
  router: Router<State>,
  {
    authenticate,
    idempotent,
    keywords,
    notifications,
    baseUrl,
  }: {
    authenticate: Authenticator;
    idempotent: Handler;
    keywords: KeywordsService;
    notifications: NotificationsService;
    baseUrl(ctx: Context): string;
  },
): void => {
  const { account } = authenticate;

  router.get('/api/v1/keyword_notifications', account, async (ctx) => {
    const page = readPage(ctx);
    const steps = notifications.list(accountOf(ctx)._id, page);
    const present = notifications.present.bind(notifications);
    const together = READ_TOGETHER;
    await sendPage(ctx, page, { steps, timeField: 'created_at', present, together }, baseUrl(ctx));
  });

  router.get('/api/v1/keywords', account, async (ctx) => {
    const page = readPage(ctx);
    const steps = keywords.list(accountOf(ctx)._id, page);
    await sendPage(
      ctx,
      page,
      { steps, timeField: 'created_at', present: (found) => found.map(presentKeyword) },
      baseUrl(ctx),
    );
  });

  router.post('/api/v1/keywords', account, jsonBody(), idempotent, async (ctx) => {
    const input = readObject(NewKeyword, ctx.state.body);
    const keyword = await keywords.create(accountOf(ctx)._id, input, ctx.state.newUuid);
    sendCreated(ctx, presentKeyword(keyword), `${baseUrl(ctx)}/api/v1/keywords/${keyword._id}/`);
  });

  router.get('/api/v1/keywords/:uuid', account, async (ctx) => {
    sendObject(ctx, presentKeyword(await keywords.get(accountOf(ctx)._id, pathUuid(ctx))));
  });

  router.delete('/api/v1/keywords/:uuid', account, async (ctx) => {
    await keywords.delete(accountOf(ctx)._id, pathUuid(ctx), precondition(ctx));
    ctx.status = 204;
  });
};
