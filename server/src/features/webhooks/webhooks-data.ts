import { choice, DELIVERY_STATES, EVENT_NAMES, MAX_MESSAGE, text, Webhook } from '@parlor/shared';
import { z } from 'zod';
import { collectionOf, NEWEST_FIRST } from '../../database/collection-data.ts';
import {
  count,
  duration,
  foreignText,
  identifier,
  listOf,
  made,
  open,
} from '../../database/stored-shapes.ts';
import { BODY_LIMIT_BYTES } from '../../http/body-chunks.ts';
import { KEPT_OF_BODY_BYTES } from './attempt.ts';
import type { StoredDelivery } from './deliveries.model.ts';
import { PREVIOUS_SECRETS } from './previous-secrets.ts';
import { SIGNING_SECRET } from './signing.ts';
import { TARGET } from './target.ts';
import type { StoredWebhook } from './webhooks.model.ts';

/** What is sent, in characters: what one request has brought, as JSON writes it. */
const MAX_BODY = 8 * BODY_LIMIT_BYTES;

/** What the map of data says of webhooks and what is sent to them. */
export const webhooksData = {
  webhooks: collectionOf<StoredWebhook>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    fields: {
      plain: [
        ...(['_id', 'account', 'event', 'created_at', 'since', 'version'] as const),
        ...([
          'heard_before',
          'previous_expires_at',
          'failing_since',
          'failed_at',
          'failed_attempts',
        ] as const),
      ],
      owner: ['target', 'target_key', 'events'],
      sealed: ['secret_sealed', 'previous_sealed'],
    },
    absent: [
      ...(['heard_before', 'previous_sealed', 'previous_expires_at'] as const),
      ...(['failing_since', 'failed_at', 'failed_attempts'] as const),
    ],
    shapes: {
      event: Webhook.shape.event,
      heard_before: listOf(Webhook.shape.event),
      target: TARGET,
      target_key: identifier(),
      secret_sealed: SIGNING_SECRET,
      previous_sealed: PREVIOUS_SECRETS,
    },
  }),
  deliveries: collectionOf<StoredDelivery>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    copied: NEWEST_FIRST,
    erased: {
      by: 'subject',
      how: 'redacted',
      madeAt: 'created_at',
      eventAt: 'event_at',
      markedBy: 'erase_by',
    },
    fields: {
      plain: [
        ...(['_id', 'account', 'event_id', 'event', 'webhook', 'state', 'created_at', 'tries'] as const),
        ...(['queue', 'due_at', 'sequence', 'expires_at', 'subject', 'erase_by', 'event_at'] as const),
      ],
      visitor: ['body', 'attempts'],
      owner: ['subscription'],
    },
    words: ['attempts.error', 'attempts.response'],
    absent: ['subject', 'erase_by', 'event_at', 'queue', 'due_at', 'sequence', 'expires_at'],
    shapes: {
      event: choice(EVENT_NAMES),
      // It goes into a header.
      event_id: made(/^[\w.:-]{1,100}$/),
      state: choice(DELIVERY_STATES),
      subscription: open({ uuid: identifier(), event: choice(EVENT_NAMES), target: TARGET }),
      body: text({ max: MAX_BODY }),
      attempts: listOf(
        open({
          at: z.date(),
          status: count().nullable(),
          duration_ms: duration(),
          error: foreignText(MAX_MESSAGE).nullable(),
          response: foreignText(KEPT_OF_BODY_BYTES),
        }),
      ),
    },
  }),
};
