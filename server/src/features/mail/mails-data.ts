import { collectionOf } from '../../database/collection-data.ts';
import type { StoredMail } from './mails.model.ts';
import type { OutgoingMail } from './outgoing-mails.model.ts';

/** What the map of data says of the collections of mails. */
export const mailsData = {
  mails: collectionOf<StoredMail>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    fields: {
      plain: [
        ...(['_id', 'account', 'state', 'created_at', 'tries', 'due_at', 'claim'] as const),
        ...(['expires_at', 'error'] as const),
      ],
    },
  }),
  outgoingMails: collectionOf<OutgoingMail>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    fields: {
      plain: [
        ...(['_id', 'account', 'kind', 'member', 'requests', 'due_at', 'claim', 'batch'] as const),
        ...(['tries', 'error', 'last_at', 'base_url', 'epoch'] as const),
      ],
    },
  }),
};
