import type { Context } from '../../http/context.ts';
import type { ActiveMember } from './member.ts';

/** Whoever has a member's credential. */
export interface AccountPrincipal {
  kind: 'account';
  owner: string;
  scope: string;
  isShared: false;
  member: ActiveMember;
  /** The uuid of the session whose cookie the request has; undefined with a token. */
  session: string | undefined;
}

declare module '../../http/principal.ts' {
  interface Principals {
    account: AccountPrincipal;
  }
}

export const accountPrincipal = (member: ActiveMember, session?: string): AccountPrincipal => ({
  kind: 'account',
  owner: member.account,
  // The founding member's Idempotency-Keys are those of before there were others.
  scope: member.isFounder ? `account:${member.account}` : `member:${member._id}`,
  isShared: false,
  member,
  session,
});

const principalOf = ({ state: { principal } }: Pick<Context, 'state'>): AccountPrincipal => {
  if (principal?.kind !== 'account') throw new Error('the route lets others than members through');
  return principal;
};

/** The member that makes a request which `authenticate` let through. */
export const memberOf = (ctx: Pick<Context, 'state'>): ActiveMember => principalOf(ctx).member;

/** The uuid of its session; undefined where it has shown a token. */
export const sessionOf = (ctx: Pick<Context, 'state'>): string | undefined => principalOf(ctx).session;

/** The account of the member that makes a request. */
export const accountOf = (ctx: Pick<Context, 'state'>): string => memberOf(ctx).account;
