import { type Author, TimelineItem } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../../http/context.ts';
import { queryInteger, sendPage } from '../../../http/lists.ts';
import { listOf, listQuery, uuidInPath } from '../../../http/openapi/operation.ts';
import type { Route } from '../../../http/route.ts';
import type { Caller } from '../../../http/turns.ts';
import { pathUuid } from '../../../http/validate.ts';
import type { CurrentAvatars } from '../../members/avatars/current-avatars.ts';
import { accountOf, viewOf } from '../../members/principal.ts';
import type { TimelineEntry, TimelineService } from './timeline.service.ts';
import { queryPlace, sendAround, sendNewer } from './timeline-pages.ts';

const MAX_ENTRIES = 200;
const DEFAULT_ENTRIES = 50;

/** /api/v1/conversations/<uuid>/timeline/ (docs/contract.md#timeline). */
export const timelineRoutes = ({
  timeline,
  currentAvatars,
  baseUrl,
}: {
  timeline: TimelineService;
  currentAvatars: Pick<CurrentAvatars, 'show'>;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/conversations/{uuid}/timeline/',
    id: 'readTimeline',
    tag: 'Conversations',
    summary: 'What was said, noted and done',
    description:
      'Messages, notes and events in one order, newest first; `rel="next"` of `Link` leads back in time. Each `kind` has the fields of its own. With `around`, and on the pages that `rel="prev"` leads to, that leads on to what is newer.',
    callers: ['account'],
    params: { uuid: uuidInPath() },
    query: {
      limit: z.int().min(1).max(MAX_ENTRIES).default(DEFAULT_ENTRIES).optional(),
      cursor: listQuery.cursor,
      around: z.uuid().optional().meta({
        description:
          'The uuid of an entry: the page has it and what stands on both sides of it. One that does not exist is a 400.',
      }),
    },
    answers: {
      ...listOf(TimelineItem),
      description:
        'Newest first; a page ends by `limit` or at 2 MiB. `Link` leads to the pages beside it and is absent where there are none.',
    },
    handler: async (ctx) => {
      const bounds = { min: 1, max: MAX_ENTRIES, fallback: DEFAULT_ENTRIES };
      const limit = queryInteger(ctx, 'limit', bounds);
      const { around, after, order } = queryPlace(ctx);
      const page = { limit, after, from: undefined, until: undefined };
      const [room, base] = [pathUuid(ctx), baseUrl(ctx)];
      const present = (found: TimelineEntry[]) =>
        currentAvatars.show<{ author?: Author | null }>(
          accountOf(ctx),
          base,
          found.map(({ shown }) => shown),
        );
      if (around !== undefined) {
        const aroundFor = async (now: Caller) => ({
          ...(await timeline.around(viewOf(now), room, around)),
          present,
        });
        await sendAround(ctx, limit, aroundFor, base);
      } else {
        const listFor = async (now: Caller) => {
          const steps = await timeline.read(viewOf(now), room, page, order);
          return { steps, timeField: 'at' as const, present };
        };
        await (order === 1 ? sendNewer(ctx, limit, listFor, base) : sendPage(ctx, page, listFor, base));
      }
    },
  },
];
