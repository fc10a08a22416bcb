import { z } from 'zod';
import { EVENT_NAMES } from './events.ts';
import { choice, uuid, webAddress } from './fields.ts';

/** The address that a webhook sends to. */
export const MAX_TARGET = 2_000;

/** One event, and the address that it is sent to (specification 2, docs/contract.md#webhook). */
export const Webhook = z
  .object({
    uuid: uuid(),
    event: choice(EVENT_NAMES),
    target: webAddress(MAX_TARGET).meta({
      maxLength: MAX_TARGET,
      description:
        'An http or https URL as browsers read it, and answered as it was written: it may hold characters that a URI (RFC 3986) has not, such as `ä` or `{`.',
      example: 'https://example.com/hooks/chat',
    }),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

/** The fields of a webhook that a caller writes. */
export const NewWebhook = Webhook.omit({ uuid: true }).meta({ id: 'NewWebhook' });
export type NewWebhook = z.infer<typeof NewWebhook>;
