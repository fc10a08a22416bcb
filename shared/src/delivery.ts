import { z } from 'zod';
import { EVENT_NAMES } from './events.ts';
import { choice, datetime, uuid } from './fields.ts';
import { Webhook } from './webhook.ts';

/**
 * Where a delivery stands: `dropped` when its webhook went before it was delivered
 * (docs/contract.md#delivery).
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One request to a webhook's target and what came of it. */
export const Attempt = z
  .object({
    at: datetime(),
    status: z.int().nullable().meta({ description: 'null when no answer came', example: 200 }),
    duration_ms: z.number().meta({ example: 41 }),
    error: z.string().nullable().meta({ description: 'why it failed; null when it did not', example: null }),
    response: z.string().meta({ description: "the first 1 KiB of the answer's body", example: 'ok' }),
  })
  .meta({ id: 'Attempt' });
export type Attempt = z.infer<typeof Attempt>;

/** An event on its way to one webhook, as the log shows it. */
export const Delivery = z
  .object({
    id: uuid(),
    event_id: uuid().meta({ description: 'the webhook-id header; the same in a redelivery' }),
    event: choice(EVENT_NAMES),
    webhook: Webhook,
    state: choice(DELIVERY_STATES),
    created_at: datetime(),
    next_attempt_at: datetime().nullable(),
    attempts: z.array(Attempt),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;

/** The answer to GET /api/v1/deliveries/<id>/body/. */
export const DeliveryText = z
  .object({
    body: z.string().nullable().meta({
      description:
        'The exact text that is sent and signed; null once what it said was erased with its visitor, room or lead.',
      example: '{"data":{"uuid":"0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11"},"webhook":{}}',
    }),
  })
  .meta({ id: 'DeliveryText' });
export type DeliveryText = z.infer<typeof DeliveryText>;

/** The answer to POST /api/v1/webhooks/<uuid>/test/. */
export const TestDelivery = z
  .object({ delivered: z.boolean(), ...Attempt.omit({ at: true }).shape })
  .meta({ id: 'TestDelivery' });
export type TestDelivery = z.infer<typeof TestDelivery>;

/** The answer to GET /api/v1/webhooks/<uuid>/secret/ (Standard Webhooks, "Signature scheme"). */
export const WebhookSecret = z
  .object({ secret: z.string().meta({ example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }) })
  .meta({ id: 'WebhookSecret' });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

/** The answer to POST /api/v1/webhooks/<uuid>/secret/rotate/: until then the old secret signs, too. */
export const RotatedWebhookSecret = WebhookSecret.extend({ previous_expires_at: datetime() }).meta({
  id: 'RotatedWebhookSecret',
});
export type RotatedWebhookSecret = z.infer<typeof RotatedWebhookSecret>;
