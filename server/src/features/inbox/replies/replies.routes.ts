import { NewReply, Reply } from '@parlor/shared';
import type { Context } from '../../../http/context.ts';
import { readPage, sendPage } from '../../../http/lists.ts';
import {
  created,
  deleted,
  listOf,
  listQuery,
  patchOf,
  shown,
  uuidInPath,
} from '../../../http/openapi/operation.ts';
import type { Route } from '../../../http/route.ts';
import { precondition, sendCreated, sendObject } from '../../../http/single-object.ts';
import { pathUuid, readObject, readPatch } from '../../../http/validate.ts';
import { accountOf, actionOf, memberNow } from '../../members/principal.ts';
import { presentReply, type RepliesService } from './replies.service.ts';

const tag = 'Saved replies';
const callers = ['account'] as const;
const params = { uuid: uuidInPath() };

/** /api/v1/replies/ (docs/contract.md#saved-replies). */
export const replyRoutes = ({
  replies,
  baseUrl,
}: {
  replies: RepliesService;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/replies/',
    id: 'listReplies',
    tag,
    summary: 'List your saved replies',
    description: 'Newest first. They belong to the account: whoever is restricted to some widgets sees all.',
    callers,
    query: listQuery,
    answers: listOf(Reply),
    handler: async (ctx) => {
      const page = readPage(ctx);
      const present = (found: Parameters<typeof presentReply>[0][]) => found.map(presentReply);
      await sendPage(
        ctx,
        page,
        (now) => ({ steps: replies.list(accountOf(now), page), timeField: 'created_at', present }),
        baseUrl(ctx),
      );
    },
  },
  {
    method: 'POST',
    path: '/api/v1/replies/',
    id: 'createReply',
    tag,
    summary: 'Save a reply',
    description:
      'What else is set with it (`tags`, `assignee`, `status`) is for the client to set, by PATCH of the conversation. At most 500 an account.',
    callers,
    body: NewReply,
    isIdempotent: true,
    answers: created(Reply),
    handler: async (ctx) => {
      const whoNow = memberNow(ctx);
      const input = readObject(NewReply, ctx.state.body);
      const reply = await replies.create(accountOf(ctx), input, whoNow, ctx.state.newUuid, actionOf(ctx));
      sendCreated(ctx, presentReply(reply), `${baseUrl(ctx)}/api/v1/replies/${reply._id}/`);
    },
  },
  {
    method: 'GET',
    path: '/api/v1/replies/{uuid}/',
    id: 'retrieveReply',
    tag,
    summary: 'Details of one saved reply',
    description: 'By its uuid.',
    callers,
    params,
    condition: 'read',
    answers: shown(Reply),
    handler: async (ctx) => {
      sendObject(ctx, presentReply(await replies.get(accountOf(ctx), pathUuid(ctx))));
    },
  },
  {
    method: 'PATCH',
    path: '/api/v1/replies/{uuid}/',
    id: 'changeReply',
    tag,
    summary: 'Change one or some fields',
    description: 'What has been sent with it stays as it is.',
    callers,
    params,
    body: patchOf(NewReply, 'ReplyPatch'),
    isBodyOptional: true,
    condition: 'write',
    answers: shown(Reply),
    handler: async (ctx) => {
      const wanted = readPatch(NewReply, ctx.state.body);
      const check = precondition(ctx);
      const changed = await replies.change(accountOf(ctx), pathUuid(ctx), wanted, check, actionOf(ctx));
      sendObject(ctx, presentReply(changed));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/replies/{uuid}/',
    id: 'deleteReply',
    tag,
    summary: 'Delete a saved reply',
    description: 'What has been sent with it stays as it is.',
    callers,
    params,
    condition: 'write',
    answers: deleted,
    handler: async (ctx) => {
      await replies.delete(accountOf(ctx), pathUuid(ctx), precondition(ctx), actionOf(ctx));
      ctx.status = 204;
    },
  },
];
