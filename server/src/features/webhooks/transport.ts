import type { Outgoing } from '../../net/outgoing.ts';
import type { Duration } from '../../platform/duration.ts';
import { UnopenedError } from '../../platform/secrets.ts';
import { VERSION } from '../../platform/version.ts';
import { type Attempt, attemptDelivery } from './attempt.ts';
import type { KnownWebhook } from './known-webhooks.ts';

/** Posts a text to a webhook once, signed at this moment. */
export type Transport = (knownWebhook: KnownWebhook, eventId: string, body: string) => Promise<Attempt>;

/** @param timeout milliseconds for status line and headers */
export const createTransport =
  (outgoing: Pick<Outgoing, 'dispatch'>, timeout: Duration): Transport =>
  async ({ target, sign }, eventId, body) => {
    let signature: Record<string, string>;
    try {
      signature = sign(eventId, new Date(), body);
    } catch (error) {
      return unsigned(error);
    }
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Parlor-Webhooks/${VERSION}`,
      ...signature,
    };
    return attemptDelivery(outgoing, { target, headers, body, timeout });
  };

/** Nothing is sent that no receiver could tell from a forgery. @param error why it was not signed */
const unsigned = (error: unknown): Attempt => ({
  at: new Date(),
  status: null,
  duration_ms: 0,
  error: `not sent: the webhook's secret ${error instanceof UnopenedError ? "can't be opened" : 'signs nothing'}; rotate it`,
  response: '',
  retryAfter: undefined,
  wasSent: false,
});
