import { PasswordReset, PasswordResetRequest } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import type { Route } from '../../http/route.ts';
import { readObject } from '../../http/validate.ts';
import { noForeignPages } from './foreign-pages.ts';
import type { MemberMails } from './member-mails.ts';
import type { PasswordResets } from './password-resets.ts';
import { publicActionOf } from './principal.ts';
import type { SessionCookie } from './session-cookie.ts';

const tag = 'Account';

const ANSWER = 'If a member has this address, a mail with a link is on its way.';

/** POST /api/v1/auth/password-reset and …/confirm (docs/contract.md#sessions). */
export const passwordResetRoutes = ({
  memberMails,
  passwordResets,
  sessionCookie,
  baseUrl,
}: {
  memberMails: MemberMails;
  passwordResets: PasswordResets;
  sessionCookie: SessionCookie;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'POST',
    path: '/api/v1/auth/password-reset',
    before: noForeignPages(sessionCookie),
    limits: [{ group: 'password-reset', after: 'body' }],
    id: 'requestPasswordReset',
    tag,
    summary: 'Ask for a mail by which to set a new password',
    description:
      'The response is the same whether or not a member has this address, has had its mails of this hour, or no mail is sent at all (`SMTP_URL`). Who signs in at a provider only gets none. `Idempotency-Key` is ignored here.',
    callers: ['public'],
    body: PasswordResetRequest,
    errors: [403, 429],
    answers: {
      status: 202,
      description: 'A mail is on its way, if somebody is there to get it.',
      schema: z.object({ message: z.string().meta({ example: ANSWER }) }),
    },
    handler: async (ctx) => {
      const { email } = readObject(PasswordResetRequest, ctx.state.body);
      await memberMails.resetPassword(email, baseUrl(ctx));
      ctx.status = 202;
      ctx.body = { message: ANSWER };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/password-reset/confirm',
    before: noForeignPages(sessionCookie),
    limits: [{ group: 'sign-in', after: 'body' }],
    id: 'confirmPasswordReset',
    tag,
    summary: 'Set a new password by the link of a mail',
    description:
      'Once, within an hour of the mail. All sessions of the member end, and their sockets; its API token stays as it is, and sign-in asks for a second factor as before. `Idempotency-Key` is ignored here.',
    callers: ['public'],
    body: PasswordReset,
    errors: [403, 429],
    answers: { status: 204, description: 'From now on the new password is good.' },
    handler: async (ctx) => {
      await passwordResets.confirm(readObject(PasswordReset, ctx.state.body), publicActionOf(ctx));
      ctx.status = 204;
    },
  },
];
