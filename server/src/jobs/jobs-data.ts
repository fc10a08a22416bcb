import { collectionOf } from '../database/collection-data.ts';
import type { StoredOrigin, StoredSender } from './origin-leases.model.ts';

/** What the map of data says of the collections that servers share their work by. */
export const jobsData = {
  webhookSenders: collectionOf<StoredSender>()({
    owner: 'server',
    kept: 'while at work',
    fields: { plain: ['_id', 'beat', 'keys', 'sealed_by', 'command'] },
  }),
  // A host stays for two minutes of a running server at most once nothing waits for it (unowned-origins.ts).
  webhookOrigins: collectionOf<StoredOrigin>()({
    owner: 'server',
    kept: 'while at work',
    fields: { plain: ['owner', 'paused', 'woken', 'woken_at'], owner: ['_id'] },
  }),
};
