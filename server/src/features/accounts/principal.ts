import type { Context } from '../../http/context.ts';
import type { Account } from './accounts.model.ts';

/** Whoever has an account's API token. */
export interface AccountPrincipal {
  kind: 'account';
  owner: string;
  scope: string;
  isShared: false;
  account: Account;
}

declare module '../../http/principal.ts' {
  interface Principals {
    account: AccountPrincipal;
  }
}

export const accountPrincipal = (account: Account): AccountPrincipal => ({
  kind: 'account',
  owner: account._id,
  scope: `account:${account._id}`,
  isShared: false,
  account,
});

/** The account of a request that `authenticate` let through. */
export const accountOf = (ctx: Pick<Context, 'state'>): Account => {
  const { principal } = ctx.state;
  if (principal?.kind !== 'account') throw new Error('the route lets others than accounts through');
  return principal.account;
};
