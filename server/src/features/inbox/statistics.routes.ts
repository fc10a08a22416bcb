import { ConversationStatistics } from '@parlor/shared';
import { z } from 'zod';
import { whenHungUp } from '../../http/hung-up.ts';
import { queryDays, queryUuid } from '../../http/lists.ts';
import { listQuery } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { accountOf, viewNow } from '../members/principal.ts';
import { type ConversationStatisticsService, MAX_COUNTED } from './statistics.ts';

const { cursor: _, limit: __, ...days } = listQuery;

/** /api/v1/conversations/stats/ (docs/contract.md#conversation). */
export const conversationStatisticsRoutes = ({
  conversationStatistics,
}: {
  conversationStatistics: ConversationStatisticsService;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/conversations/stats/',
    id: 'summarizeConversations',
    tag: 'Conversations',
    summary: 'How many conversations began, how soon they were answered, and how they were rated',
    description: `In a month, or in the days given; by default the current UTC month to now. More than 3660 days or ${MAX_COUNTED} conversations are a 400, as is a \`start_date\` after the \`end_date\`.`,
    callers: ['account'],
    query: { widget: z.uuid().optional(), ...days },
    answers: {
      status: 200,
      description: 'Of all the days together, and of each, without gaps.',
      schema: ConversationStatistics,
    },
    handler: async (ctx) => {
      const widget = queryUuid(ctx, 'widget');
      ctx.set('Cache-Control', 'no-cache');
      const [account, days] = [accountOf(ctx), queryDays(ctx)];
      ctx.body = await conversationStatistics.count(account, viewNow(ctx), days, widget, whenHungUp(ctx));
    },
  },
];
