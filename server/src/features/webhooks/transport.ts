import type { Outgoing } from '../../net/outgoing.ts';
import type { Duration } from '../../platform/duration.ts';
import { VERSION } from '../../platform/version.ts';
import { type Attempt, attemptDelivery } from './attempt.ts';
import type { KnownWebhook } from './known-webhooks.ts';

/** Posts a text to a webhook once, signed at this moment. */
export type Transport = (knownWebhook: KnownWebhook, eventId: string, body: string) => Promise<Attempt>;

/** @param timeout milliseconds for status line and headers */
export const createTransport =
  (outgoing: Pick<Outgoing, 'dispatch'>, timeout: Duration): Transport =>
  ({ target, sign }, eventId, body) => {
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Parlor-Webhooks/${VERSION}`,
      ...sign(eventId, new Date(), body),
    };
    return attemptDelivery(outgoing, { target, headers, body, timeout });
  };
