import type Router from '@koa/router';
import { DELIVERY_STATES, EVENT_NAMES, isUuid } from '@parlor/shared';
import type { Page } from '../../database/pages.ts';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import { queryValue, readPage, sendPage } from '../../http/lists.ts';
import { sendObject } from '../../http/single-object.ts';
import { pathUuid } from '../../http/validate.ts';
import { invalid } from '../../platform/errors.ts';
import { accountOf } from '../accounts/principal.ts';
import type { StoredDelivery } from './deliveries.model.ts';
import { type DeliveriesService, type DeliveryFilter, presentDelivery } from './deliveries.service.ts';

const queryChoice = <const T extends string>(
  ctx: Context,
  name: string,
  choices: readonly T[],
): T | undefined => {
  const value = queryValue(ctx, name);
  if (value === undefined) return undefined;
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw invalid({ [name]: [`One of ${choices.join(', ')} is required.`] });
  return choice;
};

const readFilter = (ctx: Context): DeliveryFilter => {
  const webhook = queryValue(ctx, 'webhook')?.toLowerCase();
  if (webhook !== undefined && !isUuid(webhook)) throw invalid({ webhook: ['Must be a valid UUID.'] });
  const state = queryChoice(ctx, 'state', DELIVERY_STATES);
  return { webhook, state, event: queryChoice(ctx, 'event', EVENT_NAMES) };
};

/** The log of deliveries, redelivery and test sends (docs/contract.md#delivery). */
export const deliveryRoutes = (
  router: Router<State>,
  {
    authenticate,
    deliveries,
    idempotent,
    baseUrl,
  }: {
    authenticate: Authenticator;
    deliveries: DeliveriesService;
    idempotent: Handler;
    baseUrl(ctx: Context): string;
  },
): void => {
  const { account } = authenticate;
  const deliveryId = (ctx: Context & { params: Record<string, string> }): string =>
    pathUuid({ params: { uuid: ctx.params.id } });

  const send = (ctx: Context, page: Page, steps: AsyncIterable<StoredDelivery[]>): Promise<void> => {
    const present = (found: StoredDelivery[]) => found.map(presentDelivery);
    return sendPage(ctx, page, { steps, timeField: 'created_at', present }, baseUrl(ctx));
  };

  router.get('/api/v1/deliveries', account, async (ctx) => {
    const page = readPage(ctx);
    await send(ctx, page, deliveries.list(accountOf(ctx)._id, readFilter(ctx), page));
  });

  router.get('/api/v1/deliveries/:id', account, async (ctx) => {
    sendObject(ctx, presentDelivery(await deliveries.get(accountOf(ctx)._id, deliveryId(ctx))));
  });

  router.get('/api/v1/webhooks/:uuid/deliveries', account, async (ctx) => {
    const page = readPage(ctx);
    const filter = readFilter(ctx);
    await send(ctx, page, deliveries.listOf(accountOf(ctx)._id, pathUuid(ctx), filter, page));
  });

  const redeliver = async (ctx: Context, id: string, webhook?: string): Promise<void> => {
    const delivery = await deliveries.redeliver(accountOf(ctx)._id, id, webhook, ctx.state.newUuid);
    sendObject(ctx, presentDelivery(delivery), 202);
    ctx.set('Location', `${baseUrl(ctx)}/api/v1/deliveries/${delivery._id}/`);
  };

  router.post('/api/v1/deliveries/:id/redeliver', account, jsonBody(), idempotent, (ctx) =>
    redeliver(ctx, deliveryId(ctx)),
  );

  router.post('/api/v1/webhooks/:uuid/deliveries/:id/redeliver', account, jsonBody(), idempotent, (ctx) =>
    redeliver(ctx, deliveryId(ctx), pathUuid(ctx)),
  );

  router.post('/api/v1/webhooks/:uuid/test', account, jsonBody(), idempotent, async (ctx) => {
    const result = await deliveries.test(accountOf(ctx)._id, pathUuid(ctx));
    ctx.set('Cache-Control', 'no-store');
    ctx.body = result;
  });
};
