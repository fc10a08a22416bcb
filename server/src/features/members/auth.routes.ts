import { Credentials, Registration } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import type { Route } from '../../http/route.ts';
import { readObject } from '../../http/validate.ts';
import type { AccountsService } from '../accounts/accounts.service.ts';
import type { ConfirmationRequests } from '../accounts/email-confirmations.ts';
import type { Registrations } from '../accounts/registrations.ts';
import type { Credentials as CredentialsService } from './credentials.ts';
import { noForeignPages } from './foreign-pages.ts';
import { asActor } from './member-audit.ts';
import { accountOf, publicActionOf } from './principal.ts';
import { lacksSecondFactor, secondFactorFirst } from './second-factor.ts';
import type { SessionCookie } from './session-cookie.ts';
import { type SignIn, stillSignedIn } from './sign-in.ts';

const tag = 'Account';

/**
 * POST /api/v1/auth/register and /api/v1/auth/api-token (docs/contract.md#accounts), where Idempotency-Key is ignored, and
 * POST /api/v1/auth/confirmation-mail.
 */
export const authRoutes = ({
  accounts,
  confirmationRequests,
  credentials,
  registrations,
  sessionCookie,
  signIn,
  baseUrl,
}: {
  accounts: Pick<AccountsService, 'byId'>;
  credentials: CredentialsService;
  signIn: SignIn;
  confirmationRequests: ConfirmationRequests;
  registrations: Registrations;
  sessionCookie: SessionCookie;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'POST',
    path: '/api/v1/auth/register',
    before: noForeignPages(sessionCookie),
    limits: [{ group: 'register', after: 'body' }],
    id: 'register',
    tag,
    summary: 'Register an account',
    description:
      'Makes the account and its first widget. `REGISTRATION` says who may: by itself everybody until the first account exists and nobody from then on (403), or whoever has an invitation. `Idempotency-Key` is ignored here.',
    callers: ['public'],
    body: Registration,
    errors: [403, 429],
    answers: {
      status: 201,
      description: 'Registered.',
      schema: z.object({ message: z.string().meta({ example: 'User registered successfully.' }) }),
    },
    handler: async (ctx) => {
      await registrations.register(
        readObject(Registration, ctx.state.body),
        baseUrl(ctx),
        publicActionOf(ctx),
      );
      ctx.status = 201;
      ctx.body = { message: 'User registered successfully.' };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/api-token',
    before: noForeignPages(sessionCookie),
    limits: [{ group: 'sign-in', after: 'body' }],
    id: 'obtainToken',
    tag,
    summary: 'Obtain the API token, or a new one',
    description:
      'Shows the same token each time; `reset_token: true` makes a new one, and the old one is dead at once. 403 where the account asks for a second factor which the member has not set up. `Idempotency-Key` is ignored here.',
    callers: ['public'],
    body: Credentials,
    errors: [403, 429],
    answers: {
      status: 200,
      description: 'The token, for `Authorization: Token <token>`.',
      schema: z.object({
        token: z
          .string()
          .meta({ example: '9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b', pattern: '^[0-9a-f]{40}$' }),
      }),
    },
    handler: async (ctx) => {
      const given = readObject(Credentials, ctx.state.body);
      const action = publicActionOf(ctx);
      const member = await signIn.member(given, action);
      if (lacksSecondFactor(await accounts.byId(member.account), member)) throw secondFactorFirst();
      const resetting = { ...action, name: 'resetToken', actor: asActor(member) };
      const token = given.reset_token
        ? await credentials.resetToken(member, resetting, stillSignedIn(member))
        : await credentials.currentTokenOf(member, stillSignedIn(member));
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { token };
    },
  },
  // The same response whatever comes of it: an address's limit is shared with accounts of others.
  {
    method: 'POST',
    path: '/api/v1/auth/confirmation-mail',
    limits: [{ group: 'confirmation-mail', after: 'credential', key: accountOf }],
    id: 'requestConfirmationMail',
    tag,
    summary: 'Ask for the mail that confirms the e-mail address',
    description:
      'An account that was registered gets mails once somebody opens the link in this mail and presses the button there; registering sends the first one. The response is the same whether the address is confirmed already, has had its three mails of today, or no mail is sent at all (`SMTP_URL`). At most 5 an hour (`RATE_LIMIT_CONFIRMATION_MAIL`). `Idempotency-Key` is ignored here.',
    callers: ['account'],
    answers: {
      status: 202,
      description: 'A mail is on its way, if the address needs one.',
      schema: z.object({
        message: z.string().meta({
          example: 'A mail is on its way, unless the address is confirmed or has had its mails of today.',
        }),
      }),
    },
    handler: async (ctx) => {
      const account = await accounts.byId(accountOf(ctx));
      await confirmationRequests.request(account, baseUrl(ctx));
      ctx.status = 202;
      ctx.body = {
        message: 'A mail is on its way, unless the address is confirmed or has had its mails of today.',
      };
    },
  },
];
