import { SEARCH_KINDS, type SearchKind, SearchResult, SearchText } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import { linkTo, queryChoice, queryInteger, queryValue } from '../../http/lists.ts';
import type { Route } from '../../http/route.ts';
import { type Caller, inTurn } from '../../http/turns.ts';
import { forbidden, invalid } from '../../platform/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { mayCall } from '../access/rights.ts';
import { accountOf, viewOf } from '../members/principal.ts';
import type { SearchService } from './search.service.ts';
import { SearchCursor } from './search-cursor.ts';
import { readQuery } from './search-query.ts';

const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 20;

const query = {
  q: SearchText.meta({ minLength: 1, maxLength: 200, example: 'deliver' }),
  kind: z.enum(SEARCH_KINDS).optional(),
  limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).optional(),
  cursor: z.string().min(1).max(100).optional().meta({
    description: 'Opaque; it comes in the address of `Link: <…>; rel="next"` only. Any other one is a 400.',
  }),
};

const readText = (ctx: Context) => {
  const read = SearchText.safeParse(queryValue(ctx, 'q'));
  if (!read.success) throw invalid({ q: read.error.issues.map(({ message }) => message) });
  return readQuery(read.data);
};

const readCursor = (ctx: Context, cursor: SearchCursor, account: string): string | undefined => {
  const text = queryValue(ctx, 'cursor');
  if (text === undefined) return undefined;
  const key = cursor.open(account, text);
  if (key === undefined) throw invalid({ cursor: ['Invalid cursor.'] });
  return key;
};

/** /api/v1/search/ (docs/contract.md#search). */
export const searchRoutes = ({
  search,
  secrets,
  baseUrl,
}: {
  search: SearchService;
  secrets: Secrets;
  baseUrl(ctx: Context): string;
}): Route[] => {
  const searchCursor = new SearchCursor(secrets);
  return [
    {
      method: 'GET',
      path: '/api/v1/search/',
      id: 'search',
      tag: 'Search',
      summary: 'Find conversations, messages, leads and notes by their words',
      description:
        'Newest first. All words have to be there, the last one as a beginning, without regard to case and diacritics. Conversations are found by name and label and by who their visitor is, messages and notes by what they say, leads by who they are and how to reach them. A page may have fewer results than `limit`, or none, and a `Link` to the next one: older objects were not looked at yet.',
      callers: ['account'],
      query,
      answers: {
        status: 200,
        description:
          'Newest first. `Link` leads to what was not shown or not looked at yet, and is absent on the last page.',
        schema: z.array(SearchResult),
        headers: ['Link'],
      },
      handler: async (ctx) => {
        const terms = readText(ctx);
        const kind = queryChoice(ctx, 'kind', SEARCH_KINDS);
        const limit = queryInteger(ctx, 'limit', { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT });
        const account = accountOf(ctx);
        const before = readCursor(ctx, searchCursor, account);
        const kindsFor = ({ state: { principal } }: Caller): SearchKind[] => {
          const kinds = search.kinds
            .filter((one) => principal?.kind === 'account' && mayCall(principal, one.operation))
            .map((one) => one.kind)
            .filter((one) => kind === undefined || one === kind);
          if (kinds.length === 0) throw forbidden();
          return kinds;
        };
        kindsFor(ctx);
        const { results, next } = await inTurn(ctx, (now) =>
          search.search(viewOf(now), { terms, kinds: kindsFor(now), limit, before }),
        );
        if (next !== undefined) {
          ctx.set('Link', linkTo(ctx, 'next', searchCursor.seal(account, next), baseUrl(ctx)));
        }
        ctx.set('Cache-Control', 'no-cache');
        ctx.body = results;
      },
    },
  ];
};
