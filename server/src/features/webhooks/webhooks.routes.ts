import type Router from '@koa/router';
import { NewWebhook } from '@parlor/shared';
import { isoDatetime } from '../../database/document.ts';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import { readPage, sendPage } from '../../http/lists.ts';
import { precondition, sendCreated, sendObject } from '../../http/single-object.ts';
import { pathUuid, readObject, readPatch } from '../../http/validate.ts';
import { accountOf } from '../accounts/principal.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { presentWebhook, type WebhooksService } from './webhooks.service.ts';

/** /api/v1/webhooks (specification 4), and the secrets of docs/contract.md#webhooks. */
export const webhookRoutes = (
  router: Router<State>,
  {
    authenticate,
    webhooks,
    quotas,
    idempotent,
    baseUrl,
  }: {
    authenticate: Authenticator;
    webhooks: WebhooksService;
    quotas: Quotas;
    idempotent: Handler;
    baseUrl(ctx: Context): string;
  },
): void => {
  const { account } = authenticate;
  const own = (ctx: Context): [account: string, uuid: string] => [accountOf(ctx)._id, pathUuid(ctx)];

  router.get('/api/v1/webhooks', account, async (ctx) => {
    const page = readPage(ctx);
    const steps = webhooks.list(accountOf(ctx)._id, page);
    await sendPage(
      ctx,
      page,
      { steps, timeField: 'created_at', present: (found) => found.map(presentWebhook) },
      baseUrl(ctx),
    );
  });

  router.post('/api/v1/webhooks', account, jsonBody(), idempotent, async (ctx) => {
    const input = readObject(NewWebhook, ctx.state.body);
    const { _id: account } = accountOf(ctx);
    const { newUuid } = ctx.state;
    const webhook = await quotas.within('webhooks', account, newUuid, () =>
      webhooks.create(account, input, newUuid),
    );
    sendCreated(ctx, presentWebhook(webhook), `${baseUrl(ctx)}/api/v1/webhooks/${webhook._id}/`);
  });

  router.get('/api/v1/webhooks/:uuid', account, async (ctx) => {
    sendObject(ctx, presentWebhook(await webhooks.get(...own(ctx))));
  });

  router.put('/api/v1/webhooks/:uuid', account, jsonBody(), async (ctx) => {
    const ids = own(ctx);
    const wanted = readObject(NewWebhook, ctx.state.body);
    sendObject(ctx, presentWebhook(await webhooks.change(...ids, wanted, precondition(ctx))));
  });

  router.patch('/api/v1/webhooks/:uuid', account, jsonBody(), async (ctx) => {
    const ids = own(ctx);
    const wanted = readPatch(NewWebhook, ctx.state.body);
    sendObject(ctx, presentWebhook(await webhooks.change(...ids, wanted, precondition(ctx))));
  });

  router.delete('/api/v1/webhooks/:uuid', account, async (ctx) => {
    await webhooks.delete(...own(ctx), precondition(ctx));
    ctx.status = 204;
  });

  router.get('/api/v1/webhooks/:uuid/secret', account, async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { secret: await webhooks.secret(...own(ctx)) };
  });

  // The secret joins the answer outside of `idempotent`, which keeps answers in the database as they are.
  const withSecret: Handler = async (ctx, next) => {
    await next();
    const kept = JSON.parse(String(ctx.body)) as object;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { secret: await webhooks.secret(...own(ctx)), ...kept };
  };

  router.post(
    '/api/v1/webhooks/:uuid/secret/rotate',
    account,
    jsonBody(),
    withSecret,
    idempotent,
    async (ctx) => {
      const { previous_expires_at } = await webhooks.rotateSecret(...own(ctx));
      ctx.body = JSON.stringify({
        previous_expires_at: previous_expires_at && isoDatetime(previous_expires_at),
      });
    },
  );
};
