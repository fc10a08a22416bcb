import type { Context } from '../../http/context.ts';
import type { ActiveMember } from './member.ts';

/** Whoever has a member's credential. */
export interface AccountPrincipal {
  kind: 'account';
  owner: string;
  scope: string;
  isShared: false;
  member: ActiveMember;
}

declare module '../../http/principal.ts' {
  interface Principals {
    account: AccountPrincipal;
  }
}

export const accountPrincipal = (member: ActiveMember): AccountPrincipal => ({
  kind: 'account',
  owner: member.account,
  // The founding member's Idempotency-Keys are those of before there were others.
  scope: member.isFounder ? `account:${member.account}` : `member:${member._id}`,
  isShared: false,
  member,
});

/** The member that makes a request which `authenticate` let through. */
export const memberOf = ({ state: { principal } }: Pick<Context, 'state'>): ActiveMember => {
  if (principal?.kind !== 'account') throw new Error('the route lets others than members through');
  return principal.member;
};

/** The account of the member that makes a request. */
export const accountOf = (ctx: Pick<Context, 'state'>): string => memberOf(ctx).account;
