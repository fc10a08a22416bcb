import { z } from 'zod';
import { collectionOf, NEWEST_FIRST } from '../../database/collection-data.ts';
import type { StoredDelivery } from './deliveries.model.ts';
import { TARGET } from './target.ts';
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
    absent: [
      ...(['previous_sealed', 'previous_expires_at'] as const),
      ...(['failing_since', 'failed_at', 'failed_attempts'] as const),
    ],
    shapes: { target: TARGET },
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
    absent: ['subject', 'erase_by', 'queue', 'due_at', 'sequence', 'expires_at'],
    shapes: {
      subscription: z.looseObject({ uuid: z.string(), event: z.string(), target: TARGET }),
      attempts: z.array(
        z.looseObject({
          at: z.date(),
          status: z.number().nullable(),
          duration_ms: z.number(),
          error: z.string().nullable(),
          response: z.string(),
        }),
      ),
    },
  }),
};
