import { Draft, NewDraft } from '@parlor/shared';
import type { Context } from '../../../http/context.ts';
import { deleted, shown, uuidInPath } from '../../../http/openapi/operation.ts';
import type { Route } from '../../../http/route.ts';
import { precondition, sendObject } from '../../../http/single-object.ts';
import { pathUuid, readObject } from '../../../http/validate.ts';
import { memberOf, viewNow, viewOf } from '../../members/principal.ts';
import type { DraftsService } from './drafts.service.ts';

const tag = 'Conversations';
const callers = ['account'] as const;
const path = '/api/v1/conversations/{uuid}/draft/';
const params = { uuid: uuidInPath() };

const placeOf = (ctx: Context) => ({ member: memberOf(ctx)._id, room: pathUuid(ctx) });

/** /api/v1/conversations/<uuid>/draft/ (docs/contract.md#drafts). */
export const draftRoutes = ({ drafts }: { drafts: DraftsService }): Route[] => [
  {
    method: 'GET',
    path,
    id: 'retrieveDraft',
    tag,
    summary: 'Your draft in a conversation',
    description: 'Each member has one of its own. Where there is none, its body is empty.',
    callers,
    params,
    condition: 'read',
    answers: shown(Draft),
    handler: async (ctx) => sendObject(ctx, await drafts.get(viewOf(ctx), placeOf(ctx))),
  },
  {
    method: 'PUT',
    path,
    id: 'putDraft',
    tag,
    summary: 'Replace your draft',
    description:
      'With an empty body there is none any more. The last one stays, unless `If-Match` forbids it.',
    callers,
    params,
    body: NewDraft,
    condition: 'write',
    answers: shown(Draft),
    handler: async (ctx) => {
      const input = readObject(NewDraft, ctx.state.body);
      sendObject(ctx, await drafts.put(viewNow(ctx), placeOf(ctx), input, precondition(ctx)));
    },
  },
  {
    method: 'DELETE',
    path,
    id: 'deleteDraft',
    tag,
    summary: 'Delete your draft',
    description: 'Also a 204 where there is none.',
    callers,
    params,
    condition: 'write',
    answers: deleted,
    handler: async (ctx) => {
      const empty = { body: '', is_note: false };
      await drafts.put(viewNow(ctx), placeOf(ctx), empty, precondition(ctx));
      ctx.status = 204;
    },
  },
];
