import { collectionOf } from '../../database/collection-data.ts';
import type { SearchProgress, StoredSegment } from './segments.model.ts';

/** What the map of data says of the search index. */
export const searchData = {
  searchSegments: collectionOf<StoredSegment>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    erased: { by: 'subjects', how: 'redacted', madeAt: 'made_at' },
    fields: {
      plain: [
        ...(['_id', 'account', 'kind', 'is_fresh', 'made_at', 'from', 'count'] as const),
        ...(['subjects', 'widgets', 'version'] as const),
      ],
      visitor: ['lines', 'keys'],
    },
  }),
  searchProgress: collectionOf<SearchProgress>()({
    owner: 'server',
    kept: 'until deleted',
    fields: { plain: ['_id', 'account', 'kind', 'key', 'is_done', 'leased_until', 'seen_at'] },
  }),
};
