import { NewProgramToken, ProgramToken, ShownProgramToken } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import { created, deleted, uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { sendCreated } from '../../http/single-object.ts';
import { pathUuid, readObject } from '../../http/validate.ts';
import { actionOf, memberOf } from './principal.ts';
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
    description: 'Yours, newest first, without the tokens themselves.',
    callers,
    answers: { status: 200, description: 'Your tokens.', schema: z.array(ProgramToken) },
    handler: async (ctx) => {
      ctx.set('Cache-Control', 'no-store');
      ctx.body = (await programTokens.list(memberOf(ctx))).map(presentProgramToken);
    },
  },
  {
    method: 'POST',
    path: '/api/v1/tokens/',
    id: 'createToken',
    tag,
    summary: 'Make a token for a program',
    description:
      'Shown this once, for `Authorization: Token pat_…`. It acts with your rights as far as its scopes go, and dies with you. `…:write` allows reading, too. At most 50 an account. `Idempotency-Key` is ignored here.',
    callers,
    body: NewProgramToken,
    answers: created(ShownProgramToken),
    handler: async (ctx) => {
      const input = readObject(NewProgramToken, ctx.state.body);
      const { stored, token } = await programTokens.create(memberOf(ctx), input, actionOf(ctx));
      ctx.set('Cache-Control', 'no-store');
      sendCreated(
        ctx,
        { ...presentProgramToken(stored), token },
        `${baseUrl(ctx)}/api/v1/tokens/${stored._id}/`,
      );
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/tokens/{uuid}/',
    id: 'deleteToken',
    tag,
    summary: 'Delete a token',
    description: 'From then on it is a 401 everywhere, and its sockets end.',
    callers,
    params: { uuid: uuidInPath() },
    answers: deleted,
    handler: async (ctx) => {
      await programTokens.delete(memberOf(ctx), pathUuid(ctx), actionOf(ctx));
      ctx.status = 204;
    },
  },
];
