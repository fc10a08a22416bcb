import { collectionOf, NEWEST_FIRST } from '../../database/collection-data.ts';
import type { StoredDelivery } from './deliveries.model.ts';
import type { StoredWebhook } from './webhooks.model.ts';

/** What the map of data says of webhooks and what is sent to them. */
export const webhooksData = {
  webhooks: collectionOf<StoredWebhook>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    fields: {
      plain: [
        ...(['_id', 'account', 'event', 'created_at', 'since', 'version'] as const),
        ...(['previous_expires_at', 'failing_since', 'failed_at', 'failed_attempts'] as const),
      ],
      owner: ['target', 'target_key', 'events'],
      sealed: ['secret_sealed', 'previous_sealed'],
    },
  }),
  deliveries: collectionOf<StoredDelivery>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    copied: NEWEST_FIRST,
    erased: { by: 'subject', how: 'redacted', madeAt: 'created_at' },
    fields: {
      plain: [
        ...(['_id', 'account', 'event_id', 'event', 'webhook', 'state', 'created_at', 'tries'] as const),
        ...(['queue', 'due_at', 'sequence', 'expires_at', 'subject', 'erase_by'] as const),
      ],
      visitor: ['body', 'attempts'],
      owner: ['subscription'],
    },
    words: ['attempts.error', 'attempts.response'],
  }),
};
