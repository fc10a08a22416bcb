import {
  DELIVERY_STATES,
  Delivery,
  DeliveryText,
  EVENT_NAMES,
  TestDelivery,
  uuidReference,
} from '@parlor/shared';
import { z } from 'zod';
import type { Page, Steps } from '../../database/pages.ts';
import type { Context } from '../../http/context.ts';
import { queryChoice, queryUuid, readPage, sendPage } from '../../http/lists.ts';
import { listOf, listQuery, shown, uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { sendObject } from '../../http/single-object.ts';
import { type Caller, inTurn } from '../../http/turns.ts';
import { pathUuid } from '../../http/validate.ts';
import { accountOf } from '../members/principal.ts';
import { isErased, type StoredDelivery } from './deliveries.model.ts';
import { type DeliveriesService, type DeliveryFilter, presentDelivery } from './deliveries.service.ts';
import type { CheckScope } from './webhooks.routes.ts';

const readFilter = (ctx: Context): DeliveryFilter => {
  const webhook = queryUuid(ctx, 'webhook');
  const state = queryChoice(ctx, 'state', DELIVERY_STATES);
  return { webhook, state, event: queryChoice(ctx, 'event', EVENT_NAMES) };
};

const callers = ['account'] as const;
const params = { uuid: uuidInPath() };
const deliveryPath = { id: uuidInPath() };
const deliveryQuery = {
  ...listQuery,
  webhook: uuidReference().optional(),
  state: z.enum(DELIVERY_STATES).optional(),
  event: z.enum(EVENT_NAMES).optional(),
};

const redelivered = {
  status: 202,
  description: 'The new delivery of the same event.',
  schema: Delivery,
  headers: ['Location', 'ETag'],
} as const;
const webhook = 'Webhooks';
const log = 'Deliveries';

/** The log of deliveries, redelivery and test sends (docs/contract.md#delivery). */
export const deliveryRoutes = ({
  deliveries,
  checkScopeFor,
  baseUrl,
}: {
  deliveries: DeliveriesService;
  checkScopeFor: CheckScope;
  baseUrl(ctx: Context): string;
}): Route[] => {
  const deliveryId = (ctx: Context): string => pathUuid({ params: { uuid: ctx.params?.id } });

  const send = (
    ctx: Context,
    page: Page,
    read: (account: string) => Steps<StoredDelivery>,
  ): Promise<void> => {
    const present = (found: StoredDelivery[]) => found.map(presentDelivery);
    return sendPage(
      ctx,
      page,
      (now) => ({ steps: read(accountOf(now)), timeField: 'created_at', present }),
      baseUrl(ctx),
    );
  };

  const redeliver = async (ctx: Context, id: string, webhook?: string): Promise<void> => {
    // Its webhook may hear another event by now.
    checkScopeFor(ctx, (await deliveries.get(accountOf(ctx), id)).event);
    const { newUuid } = ctx.state;
    const delivery = await inTurn(ctx, (now) => deliveries.redeliver(accountOf(now), id, webhook, newUuid));
    // Repeated after a crash, it is the delivery as it stands, which may have been answered with the visitor's words.
    const { subject: uuid, created_at: at } = delivery;
    if (uuid !== undefined) ctx.state.subject = { uuid, at };
    sendObject(ctx, presentDelivery(delivery), 202);
    ctx.set('Location', `${baseUrl(ctx)}/api/v1/deliveries/${delivery._id}/`);
  };

  return [
    {
      method: 'GET',
      path: '/api/v1/deliveries/',
      id: 'listDeliveries',
      tag: log,
      summary: 'The log of deliveries, 30 days of it',
      description: 'Newest first, of all webhooks, those that are gone too, with every attempt.',
      callers,
      query: deliveryQuery,
      answers: listOf(Delivery),
      handler: async (ctx) => {
        const page = readPage(ctx);
        const filter = readFilter(ctx);
        await send(ctx, page, (account) => deliveries.list(account, filter, page));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/deliveries/{id}/',
      id: 'retrieveDelivery',
      tag: log,
      summary: 'Details of one delivery',
      description: 'With every attempt: status, duration, and the beginning of what the target answered.',
      callers,
      params: deliveryPath,
      condition: 'read',
      answers: shown(Delivery),
      handler: async (ctx) => {
        sendObject(ctx, presentDelivery(await deliveries.get(accountOf(ctx), deliveryId(ctx))));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/deliveries/{id}/body/',
      id: 'retrieveDeliveryBody',
      tag: log,
      summary: 'What was sent with a delivery',
      description:
        'The same in every attempt, and as long as the delivery is in the log. Not for members and programs that are restricted to some widgets: it says what was said on any of them. A program needs the scope that shows what the event tells, too.',
      callers,
      params: deliveryPath,
      answers: { status: 200, description: 'The text.', schema: DeliveryText },
      handler: async (ctx) => {
        const id = deliveryId(ctx);
        const read = async (now: Caller): Promise<string> => {
          const delivery = await deliveries.whole(accountOf(now), id);
          checkScopeFor(now, delivery.event);
          return JSON.stringify({ body: isErased(delivery) ? null : delivery.body });
        };
        // In turn as lists are, since it has as much.
        const text = await inTurn(ctx, read);
        ctx.set('Cache-Control', 'no-store');
        ctx.type = 'application/json';
        ctx.body = text;
      },
    },
    {
      method: 'GET',
      path: '/api/v1/webhooks/{uuid}/deliveries/',
      id: 'listDeliveriesOfWebhook',
      tag: log,
      summary: 'The log of one webhook’s deliveries',
      description: 'Newest first, with every attempt, for 30 days, also when the webhook is gone.',
      callers,
      params,
      query: deliveryQuery,
      answers: listOf(Delivery),
      handler: async (ctx) => {
        const page = readPage(ctx);
        const filter = readFilter(ctx);
        const webhook = pathUuid(ctx);
        await send(ctx, page, (account) => deliveries.listOf(account, webhook, filter, page));
      },
    },
    {
      method: 'POST',
      path: '/api/v1/deliveries/{id}/redeliver/',
      id: 'redeliver',
      tag: log,
      summary: 'Deliver the same event once more',
      description:
        'The same bytes under the same `webhook-id`, to the present target. 409 when the webhook has been deleted, or ' +
        'when what the delivery said has been erased with its visitor, room or lead. A program needs the scope that ' +
        'shows what the event tells, too.',
      callers,
      params: deliveryPath,
      isIdempotent: true,
      answers: redelivered,
      handler: (ctx) => redeliver(ctx, deliveryId(ctx)),
    },
    {
      method: 'POST',
      path: '/api/v1/webhooks/{uuid}/deliveries/{id}/redeliver/',
      id: 'redeliverOfWebhook',
      tag: log,
      summary: 'Deliver the same event once more',
      description:
        'A new delivery with the same body and `webhook-id`, at once. A program needs the scope that shows what the event tells, too.',
      callers,
      params: { ...params, ...deliveryPath },
      isIdempotent: true,
      answers: redelivered,
      handler: (ctx) => redeliver(ctx, deliveryId(ctx), pathUuid(ctx)),
    },
    {
      method: 'POST',
      path: '/api/v1/webhooks/{uuid}/test/',
      id: 'testWebhook',
      tag: webhook,
      summary: 'Send a sample now, and say what came of it',
      description:
        'Made-up data in the real shape, signed, sent once and not logged. 200 whatever the target did; 429 where four of the account are under way.',
      callers,
      params,
      isIdempotent: true,
      answers: { status: 200, description: 'Whatever the target did.', schema: TestDelivery },
      handler: async (ctx) => {
        const result = await deliveries.test(accountOf(ctx), pathUuid(ctx));
        ctx.set('Cache-Control', 'no-store');
        ctx.body = result;
      },
    },
  ];
};
