import { NewProgramToken, ProgramToken, ShownProgramToken } from '@parlor/shared';
import { z } from 'zod';
import type { Context, Handler } from '../../http/context.ts';
import { queryChoice } from '../../http/lists.ts';
import { created, deleted, uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { sendObject } from '../../http/single-object.ts';
import { pathUuid, readObject } from '../../http/validate.ts';
import { ParlorError } from '../../platform/errors.ts';
import { actionOf, memberNow, memberOf } from './principal.ts';
import { type ProgramTokens, presentProgramToken } from './program-tokens.ts';

const tag = 'Members';
const callers = ['account'] as const;

/** /api/v1/tokens/ (docs/contract.md#program-tokens). */
export const programTokenRoutes = ({
  programTokens,
  baseUrl,
}: {
  programTokens: ProgramTokens;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/tokens/',
    id: 'listTokens',
    tag,
    summary: 'The tokens of your programs',
    description:
      'Yours, newest first, without the tokens themselves; with `all=true` those of all members, for owners and admins.',
    callers,
    query: { all: z.enum(['true', 'false']).optional().meta({ description: 'Those of all members.' }) },
    answers: { status: 200, description: 'The tokens.', schema: z.array(ProgramToken) },
    handler: async (ctx) => {
      ctx.set('Cache-Control', 'no-store');
      const isAll = queryChoice(ctx, 'all', ['true', 'false']) === 'true';
      const member = memberOf(ctx);
      const found = await (isAll ? programTokens.listAll(member) : programTokens.list(member));
      ctx.body = found.map(presentProgramToken);
    },
  },
  {
    method: 'POST',
    path: '/api/v1/tokens/',
    id: 'createToken',
    tag,
    summary: 'Make a token for a program',
    description:
      'Shown this once, for `Authorization: Token pat_…`. It acts with your rights as far as its scopes go, and dies with you. `…:write` allows reading, too. At most 50 an account, of which an operator has at most 20. Repeated under its `Idempotency-Key` it is shown again; 409 where it has been deleted or has run out since.',
    callers,
    aroundKept: withToken(programTokens),
    body: NewProgramToken,
    isIdempotent: true,
    answers: created(ShownProgramToken),
    handler: async (ctx) => {
      const whoNow = memberNow(ctx);
      const input = readObject(NewProgramToken, ctx.state.body);
      const { newUuid } = ctx.state;
      const made = await programTokens.create(memberOf(ctx), input, whoNow, actionOf(ctx), newUuid);
      ctx.status = 201;
      ctx.set('Location', `${baseUrl(ctx)}/api/v1/tokens/${made._id}/`);
      ctx.body = JSON.stringify(presentProgramToken(made));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/tokens/{uuid}/',
    id: 'deleteToken',
    tag,
    summary: 'Delete a token',
    description:
      'From then on it is a 401 everywhere, and its sockets end. Owners and admins delete those of others, too, but for admins those of owners.',
    callers,
    params: { uuid: uuidInPath() },
    answers: deleted,
    handler: async (ctx) => {
      await programTokens.delete(memberOf(ctx), pathUuid(ctx), actionOf(ctx));
      ctx.status = 204;
    },
  },
];

/** The token joins the response outside of `idempotent`, which keeps responses in the database as they are. */
const withToken =
  (programTokens: ProgramTokens): Handler =>
  async (ctx, next) => {
    await next();
    const kept = JSON.parse(String(ctx.body)) as ProgramToken;
    const token = await programTokens.secretOf(memberOf(ctx), kept.uuid);
    if (!token) throw new ParlorError('conflict', 'The token of this Idempotency-Key is gone.');
    ctx.set('Cache-Control', 'no-store');
    sendObject(ctx, { ...kept, token }, ctx.status);
  };
