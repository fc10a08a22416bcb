import {
  DELIVERY_STATES,
  Delivery,
  EVENT_NAMES,
  NewWebhook,
  RotatedWebhookSecret,
  TestDelivery,
  uuidReference,
  Webhook,
  WebhookSecret,
} from '@parlor/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  created,
  deleted,
  listOf,
  listQuery,
  operation,
  patchOf,
  shown,
  uuidInPath,
} from '../../http/openapi/operation.ts';

const callers = ['account'] as const;
const path = { uuid: uuidInPath() };
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

export const webhookPaths: ZodOpenApiPathsObject = {
  '/api/v1/webhooks/': {
    get: operation({
      id: 'listWebhooks',
      tag: webhook,
      summary: 'List your webhooks',
      description: 'Newest first, without their secrets.',
      callers,
      query: listQuery,
      answers: listOf(Webhook),
    }),
    post: operation({
      id: 'createWebhook',
      tag: webhook,
      summary: 'Subscribe an address to an event',
      description:
        'From now on what happens is posted to `target`, signed by the secret that `…/secret/` shows: see the section on webhooks. The same event and target twice is a 400, as is a target in a private network. At most 50 an account.',
      callers,
      body: NewWebhook,
      isIdempotent: true,
      answers: created(Webhook),
    }),
  },
  '/api/v1/webhooks/{uuid}/': {
    get: operation({
      id: 'retrieveWebhook',
      tag: webhook,
      summary: 'Details of one webhook',
      description: 'By its uuid.',
      callers,
      path,
      condition: 'read',
      answers: shown(Webhook),
    }),
    put: operation({
      id: 'updateWebhook',
      tag: webhook,
      summary: 'Replace all fields',
      description: 'What waits to be delivered goes to the new target. Another event is heard from now on.',
      callers,
      path,
      body: NewWebhook,
      condition: 'write',
      answers: shown(Webhook),
    }),
    patch: operation({
      id: 'changeWebhook',
      tag: webhook,
      summary: 'Change one or some fields',
      description: 'What waits to be delivered goes to the new target. Another event is heard from now on.',
      callers,
      path,
      body: patchOf(NewWebhook, 'WebhookPatch'),
      bodyExample: { target: 'https://example.com/hooks/new' },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Webhook),
    }),
    delete: operation({
      id: 'deleteWebhook',
      tag: webhook,
      summary: 'Unsubscribe',
      description: 'What waits to be delivered is dropped; its deliveries stay in the log.',
      callers,
      path,
      condition: 'write',
      answers: deleted,
    }),
  },
  '/api/v1/webhooks/{uuid}/secret/': {
    get: operation({
      id: 'retrieveWebhookSecret',
      tag: webhook,
      summary: 'The secret that signs its deliveries',
      description: 'For a receiver to check signatures with, by any library of Standard Webhooks.',
      callers,
      path,
      answers: { status: 200, description: 'The secret.', schema: WebhookSecret },
    }),
  },
  '/api/v1/webhooks/{uuid}/secret/rotate/': {
    post: operation({
      id: 'rotateWebhookSecret',
      tag: webhook,
      summary: 'Make a new secret; the old one signs, too, for 24 hours',
      description:
        'Each delivery carries a signature by the present secret and by every one that was replaced within the last 24 hours, so that rotating again breaks no promise. At most ten rotations in 24 hours: then 429.',
      callers,
      path,
      isIdempotent: true,
      answers: { status: 200, description: 'The new secret.', schema: RotatedWebhookSecret },
    }),
  },
  '/api/v1/webhooks/{uuid}/test/': {
    post: operation({
      id: 'testWebhook',
      tag: webhook,
      summary: 'Send a sample now, and say what came of it',
      description:
        'Made-up data in the real shape, signed, sent once and not logged. 200 whatever the target did.',
      callers,
      path,
      isIdempotent: true,
      answers: { status: 200, description: 'Whatever the target did.', schema: TestDelivery },
    }),
  },
  '/api/v1/webhooks/{uuid}/deliveries/': {
    get: operation({
      id: 'listDeliveriesOfWebhook',
      tag: log,
      summary: 'The log of one webhook’s deliveries',
      description: 'Newest first, with every attempt, for 30 days, also when the webhook is gone.',
      callers,
      path,
      query: deliveryQuery,
      answers: listOf(Delivery),
    }),
  },
  '/api/v1/webhooks/{uuid}/deliveries/{id}/redeliver/': {
    post: operation({
      id: 'redeliverOfWebhook',
      tag: log,
      summary: 'Deliver the same event once more',
      description: 'A new delivery with the same body and `webhook-id`, at once.',
      callers,
      path: { ...path, ...deliveryPath },
      isIdempotent: true,
      answers: redelivered,
    }),
  },
  '/api/v1/deliveries/': {
    get: operation({
      id: 'listDeliveries',
      tag: log,
      summary: 'The log of deliveries, 30 days of it',
      description: 'Newest first, of all webhooks, those that are gone too, with every attempt.',
      callers,
      query: deliveryQuery,
      answers: listOf(Delivery),
    }),
  },
  '/api/v1/deliveries/{id}/': {
    get: operation({
      id: 'retrieveDelivery',
      tag: log,
      summary: 'Details of one delivery',
      description: 'With every attempt: status, duration, and the beginning of what the target answered.',
      callers,
      path: deliveryPath,
      condition: 'read',
      answers: shown(Delivery),
    }),
  },
  '/api/v1/deliveries/{id}/redeliver/': {
    post: operation({
      id: 'redeliver',
      tag: log,
      summary: 'Deliver the same event once more',
      description:
        'The same bytes under the same `webhook-id`, to the present target. 409 when the webhook has been deleted, or ' +
        'when what the delivery said has been erased with its visitor, room or lead.',
      callers,
      path: deliveryPath,
      isIdempotent: true,
      answers: redelivered,
    }),
  },
};
