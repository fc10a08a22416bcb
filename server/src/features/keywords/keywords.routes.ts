import { Keyword, KeywordNotification, NewKeyword } from '@parlor/shared';
import type { Context } from '../../http/context.ts';
import { readPage, sendPage } from '../../http/lists.ts';
import { created, deleted, listOf, listQuery, shown, uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { precondition, sendCreated, sendObject } from '../../http/single-object.ts';
import { pathUuid, readObject } from '../../http/validate.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { accountOf, actionOf, memberNow } from '../members/principal.ts';
import type { StoredKeyword } from './keywords.model.ts';
import { type KeywordsService, presentKeyword } from './keywords.service.ts';
import { type NotificationsService, READ_TOGETHER } from './notifications.service.ts';

const callers = ['account'] as const;
const params = { uuid: uuidInPath() };

/**
 * /api/v1/keyword_notifications (specification 4) and /api/v1/keywords
 * (docs/contract.md#keyword-notification).
 */
export const keywordRoutes = ({
  keywords,
  notifications,
  quotas,
  baseUrl,
}: {
  keywords: KeywordsService;
  notifications: NotificationsService;
  quotas: Quotas;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/keyword_notifications/',
    id: 'listKeywordNotifications',
    tag: 'Keyword notifications',
    summary: 'List your keyword notifications',
    description:
      'One for each message of a customer that mentions keywords, at most 1,000 a UTC day unless the server is ' +
      'set otherwise. `transcripts` holds the latest messages up to and with that one: at most 20, and at most ' +
      '2 kB of names and bodies; a body of more than 512 bytes is cut and ends in an ellipsis. It is made from ' +
      'the messages that still exist; deleting a room, or erasing a visitor, deletes its notifications, too.',
    callers,
    query: listQuery,
    answers: listOf(KeywordNotification),
    handler: async (ctx) => {
      const page = readPage(ctx);
      const present = notifications.present.bind(notifications);
      await sendPage(
        ctx,
        page,
        (now) => ({
          steps: notifications.list(accountOf(now), page),
          timeField: 'created_at',
          present,
          together: READ_TOGETHER,
        }),
        baseUrl(ctx),
      );
    },
  },
  {
    method: 'GET',
    path: '/api/v1/keywords/',
    id: 'listKeywords',
    tag: 'Keywords',
    summary: 'List your keywords',
    description: 'Newest first.',
    callers,
    query: listQuery,
    answers: listOf(Keyword),
    handler: async (ctx) => {
      const page = readPage(ctx);
      await sendPage(
        ctx,
        page,
        (now) => ({
          steps: keywords.list(accountOf(now), page),
          timeField: 'created_at',
          present: (found: StoredKeyword[]) => found.map(presentKeyword),
        }),
        baseUrl(ctx),
      );
    },
  },
  {
    method: 'POST',
    path: '/api/v1/keywords/',
    id: 'createKeyword',
    tag: 'Keywords',
    summary: 'Configure a keyword',
    description:
      'Matched as whole words, without regard to case or diacritics; at most 1000 an account, each once.',
    callers,
    body: NewKeyword,
    isIdempotent: true,
    answers: created(Keyword),
    handler: async (ctx) => {
      const whoNow = memberNow(ctx);
      const input = readObject(NewKeyword, ctx.state.body);
      const account = accountOf(ctx);
      const { newUuid } = ctx.state;
      const keyword = await quotas.within('keywords', account, newUuid, whoNow, () =>
        keywords.create(account, input, newUuid, actionOf(ctx)),
      );
      sendCreated(ctx, presentKeyword(keyword), `${baseUrl(ctx)}/api/v1/keywords/${keyword._id}/`);
    },
  },
  {
    method: 'GET',
    path: '/api/v1/keywords/{uuid}/',
    id: 'retrieveKeyword',
    tag: 'Keywords',
    summary: 'Details of one keyword',
    description: 'By its uuid.',
    callers,
    params,
    condition: 'read',
    answers: shown(Keyword),
    handler: async (ctx) => {
      sendObject(ctx, presentKeyword(await keywords.get(accountOf(ctx), pathUuid(ctx))));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/keywords/{uuid}/',
    id: 'deleteKeyword',
    tag: 'Keywords',
    summary: 'Remove a keyword',
    description: 'Messages from now on raise no notification by it; those that were raised stay.',
    callers,
    params,
    condition: 'write',
    answers: deleted,
    handler: async (ctx) => {
      await keywords.delete(accountOf(ctx), pathUuid(ctx), precondition(ctx), actionOf(ctx));
      ctx.status = 204;
    },
  },
];
