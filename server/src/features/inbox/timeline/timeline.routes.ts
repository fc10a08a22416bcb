import { TimelineItem } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../../http/context.ts';
import { queryCursor, queryInteger, sendPage } from '../../../http/lists.ts';
import { listOf, listQuery, uuidInPath } from '../../../http/openapi/operation.ts';
import type { Route } from '../../../http/route.ts';
import { pathUuid } from '../../../http/validate.ts';
import { viewOf } from '../../members/principal.ts';
import type { TimelineEntry, TimelineService } from './timeline.service.ts';

const MAX_ENTRIES = 200;
const DEFAULT_ENTRIES = 50;

/** /api/v1/conversations/<uuid>/timeline/ (docs/contract.md#timeline). */
export const timelineRoutes = ({
  timeline,
  baseUrl,
}: {
  timeline: TimelineService;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/conversations/{uuid}/timeline/',
    id: 'readTimeline',
    tag: 'Conversations',
    summary: 'What was said, noted and done',
    description:
      'Messages, notes and events in one order, newest first; `Link` leads back in time. Each `kind` has the fields of its own.',
    callers: ['account'],
    params: { uuid: uuidInPath() },
    query: {
      limit: z.int().min(1).max(MAX_ENTRIES).default(DEFAULT_ENTRIES).optional(),
      cursor: listQuery.cursor,
    },
    answers: listOf(TimelineItem),
    handler: async (ctx) => {
      const bounds = { min: 1, max: MAX_ENTRIES, fallback: DEFAULT_ENTRIES };
      const limit = queryInteger(ctx, 'limit', bounds);
      const page = { limit, after: queryCursor(ctx), from: undefined, until: undefined };
      const steps = await timeline.read(viewOf(ctx), pathUuid(ctx), page);
      const present = (found: TimelineEntry[]) => found.map(({ shown }) => shown);
      await sendPage(ctx, page, { steps, timeField: 'at', present }, baseUrl(ctx));
    },
  },
];
