import { Sighting, uuidReference } from '@parlor/shared';
import type { Context } from '../../http/context.ts';
import { queryUuid, readPage, sendPage } from '../../http/lists.ts';
import { listOf, listQuery } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { viewOf } from '../members/principal.ts';
import type { StoredSighting } from './sightings.model.ts';
import { presentSighting, type SightingsService } from './sightings.service.ts';

/** GET /api/v1/sightings/: on which sites the account's widgets are (docs/contract.md#widget). */
export const sightingRoutes = ({
  sightings,
  baseUrl,
}: {
  sightings: SightingsService;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/sightings/',
    id: 'listSightings',
    tag: 'Widgets',
    summary: 'List the sites that your widgets are on',
    description:
      'One for each widget and origin whose pages have shown it: noted within a second or two, at most 20 a widget (the 15 that were seen over the longest time, and of the others those that were seen last), at most 5 new ones a day of one client address, and kept for 90 days after the last page. Nothing of the visitors is kept with it.',
    callers: ['account'],
    query: {
      ...listQuery,
      widget: uuidReference().optional().meta({ description: 'Of this widget alone, by its uuid.' }),
    },
    answers: listOf(Sighting),
    handler: async (ctx) => {
      const page = readPage(ctx);
      const widget = queryUuid(ctx, 'widget');
      await sendPage(
        ctx,
        page,
        (now) => ({
          steps: sightings.list(viewOf(now), widget, page),
          timeField: 'first_seen_at',
          present: (found: StoredSighting[]) => found.map(presentSighting),
        }),
        baseUrl(ctx),
      );
    },
  },
];
