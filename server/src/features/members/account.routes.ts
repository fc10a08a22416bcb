import { Account, AccountSettings } from '@parlor/shared';
import { patchOf, shown } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { precondition, sendObject } from '../../http/single-object.ts';
import { readPatch } from '../../http/validate.ts';
import { type AccountsService, presentAccount } from '../accounts/accounts.service.ts';
import { accountOf, actionOf, memberOf } from './principal.ts';

const tag = 'Account';
const callers = ['account'] as const;

/** /api/v1/account/ (docs/contract.md#second-factor). */
export const accountRoutes = ({ accounts }: { accounts: AccountsService }): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/account/',
    id: 'retrieveAccount',
    tag,
    summary: 'Your account',
    description: 'What holds for everybody in it.',
    callers,
    condition: 'read',
    answers: shown(Account),
    handler: async (ctx) => sendObject(ctx, presentAccount(await accounts.byId(accountOf(ctx)))),
  },
  {
    method: 'PATCH',
    path: '/api/v1/account/',
    id: 'changeAccount',
    tag,
    summary: 'Change your account',
    description:
      'Owners alone. With `requires_totp`, which needs a second factor of your own, sessions of members without one do nothing before they have set it up, and `api-token` hands them no token; the tokens that they have stay good.',
    callers,
    body: patchOf(AccountSettings, 'AccountSettingsPatch'),
    bodyExample: { requires_totp: false },
    isBodyOptional: true,
    condition: 'write',
    answers: shown(Account),
    handler: async (ctx) => {
      const wanted = readPatch(AccountSettings, ctx.state.body);
      const account = await accounts.change(memberOf(ctx), wanted, precondition(ctx), actionOf(ctx));
      sendObject(ctx, presentAccount(account));
    },
  },
];
