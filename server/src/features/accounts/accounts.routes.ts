import type Router from '@koa/router';
import { Credentials, Registration } from '@parlor/shared';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { readObject } from '../../http/validate.ts';
import type { AccountsService } from './accounts.service.ts';
import type { ConfirmationRequests } from './email-confirmations.ts';
import { accountOf } from './principal.ts';
import type { Registrations } from './registrations.ts';

/**
 * POST /api/v1/auth/register and /api/v1/auth/api-token (docs/contract.md#accounts), where Idempotency-Key is ignored, and
 * POST /api/v1/auth/confirmation-mail.
 */
export const accountRoutes = (
  router: Router<State>,
  {
    accounts,
    authenticate,
    confirmationRequests,
    rateLimits,
    registrations,
    baseUrl,
  }: {
    accounts: AccountsService;
    authenticate: Authenticator;
    confirmationRequests: ConfirmationRequests;
    rateLimits: RateLimits;
    registrations: Registrations;
    baseUrl(ctx: Context): string;
  },
): void => {
  router.post('/api/v1/auth/register', jsonBody(), async (ctx) => {
    await rateLimits.countAddress(ctx, 'register');
    await registrations.register(readObject(Registration, ctx.state.body), baseUrl(ctx));
    ctx.status = 201;
    ctx.body = { message: 'User registered successfully.' };
  });

  router.post('/api/v1/auth/api-token', jsonBody(), async (ctx) => {
    await rateLimits.countAddress(ctx, 'sign-in');
    const token = await accounts.token(readObject(Credentials, ctx.state.body), rateLimits.addressOf(ctx));
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { token };
  });

  // The same answer whatever comes of it: an address's limit is shared with accounts of others.
  router.post('/api/v1/auth/confirmation-mail', authenticate.account, async (ctx) => {
    const account = accountOf(ctx);
    await rateLimits.count(ctx, 'confirmation-mail', account._id);
    await confirmationRequests.request(account, baseUrl(ctx));
    ctx.status = 202;
    ctx.body = {
      message: 'A mail is on its way, unless the address is confirmed or has had its mails of today.',
    };
  });
};
