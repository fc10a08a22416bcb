import { OwnPassword, RecoveryCodes, TotpCode, TotpSecret } from '@parlor/shared';
import type { HostCookie } from '../../http/host-cookie.ts';
import type { Route } from '../../http/route.ts';
import { readObject } from '../../http/validate.ts';
import { ParlorError } from '../../platform/errors.ts';
import type { AccountsService } from '../accounts/accounts.service.ts';
import { samePassword } from './credentials.ts';
import { accountOf, actionOf, memberAgain, memberOf, sessionOf } from './principal.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SignIn } from './sign-in.ts';

const tag = 'Account';
const callers = ['account'] as const;

/** /api/v1/auth/totp (docs/contract.md#second-factor). */
export const totpRoutes = ({
  accounts,
  deviceCookie,
  secondFactor,
  signIn,
}: {
  accounts: Pick<AccountsService, 'byId'>;
  deviceCookie: HostCookie;
  secondFactor: SecondFactor;
  signIn: SignIn;
}): Route[] => [
  {
    method: 'POST',
    path: '/api/v1/auth/totp',
    id: 'beginTotp',
    tag,
    summary: 'Make a secret for an authenticator app',
    description:
      'Needs your password or, without one, a sign-in at the provider within the last 10 minutes. It counts once a code of it was confirmed, within 10 minutes and under the same password; until then sign-in goes on as before. `Idempotency-Key` is ignored here.',
    callers,
    body: OwnPassword,
    answers: { status: 200, description: 'The secret, shown this once.', schema: TotpSecret },
    handler: async (ctx) => {
      const { password } = readObject(OwnPassword, ctx.state.body);
      const shown = { password, session: sessionOf(ctx), device: deviceCookie.get(ctx) };
      const member = await signIn.confirm(memberOf(ctx), shown, ctx.ip, memberAgain(ctx), 'password');
      ctx.set('Cache-Control', 'no-store');
      ctx.body = await secondFactor.begin(memberOf(ctx), samePassword(member, 'password'));
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/totp/confirm',
    id: 'confirmTotp',
    tag,
    summary: 'Turn the second factor on',
    description:
      'By a code of the app, within 10 minutes of its secret and before another password is set: 400 later. From now on sign-in asks for one; each is good once. The ten recovery codes are shown this once, and each stands in for a code, once. `Idempotency-Key` is ignored here.',
    callers,
    body: TotpCode,
    answers: { status: 200, description: 'It is on.', schema: RecoveryCodes },
    handler: async (ctx) => {
      const { code } = readObject(TotpCode, ctx.state.body);
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { recovery_codes: await secondFactor.confirm(memberOf(ctx), code, actionOf(ctx)) };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/totp/disable',
    id: 'disableTotp',
    tag,
    summary: 'Turn the second factor off',
    description:
      'Needs your password or, without one, a sign-in at the provider within the last 10 minutes. The recovery codes are void, too. 409 where the account asks for a second factor. `Idempotency-Key` is ignored here.',
    callers,
    body: OwnPassword,
    conflict: 'Your account asks for a second factor.',
    answers: { status: 204, description: 'Sign-in asks for a password alone.' },
    handler: async (ctx) => {
      const { password } = readObject(OwnPassword, ctx.state.body);
      const shown = { password, session: sessionOf(ctx), device: deviceCookie.get(ctx) };
      const member = await signIn.confirm(memberOf(ctx), shown, ctx.ip, memberAgain(ctx), 'password');
      if ((await accounts.byId(accountOf(ctx))).requires_totp) {
        throw new ParlorError('conflict', 'Your account asks for a second factor.');
      }
      await secondFactor.disable(memberOf(ctx), actionOf(ctx), samePassword(member, 'password'));
      ctx.status = 204;
    },
  },
];
