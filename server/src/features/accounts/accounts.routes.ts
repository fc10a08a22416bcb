import type Router from '@koa/router';
import { Credentials, Registration } from '@parlor/shared';
import type { State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { readObject } from '../../http/validate.ts';
import type { AccountsService } from './accounts.service.ts';
import type { Registrations } from './registrations.ts';

/** POST /api/v1/auth/register and /api/v1/auth/api-token (specification 4). Idempotency-Key is ignored here. */
export const accountRoutes = (
  router: Router<State>,
  {
    accounts,
    rateLimits,
    registrations,
  }: { accounts: AccountsService; rateLimits: RateLimits; registrations: Registrations },
): void => {
  router.post('/api/v1/auth/register', jsonBody(), async (ctx) => {
    await rateLimits.countAddress(ctx, 'register');
    await registrations.register(readObject(Registration, ctx.state.body));
    ctx.status = 201;
    ctx.body = { message: 'User registered successfully.' };
  });

  router.post('/api/v1/auth/api-token', jsonBody(), async (ctx) => {
    await rateLimits.countAddress(ctx, 'sign-in');
    const token = await accounts.token(readObject(Credentials, ctx.state.body), rateLimits.addressOf(ctx));
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { token };
  });
};
