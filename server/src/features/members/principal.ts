import type { Author, MemberReference } from '@parlor/shared';
import type { Action, ActionOfOne } from '../../events/audit.ts';
import type { Context } from '../../http/context.ts';
import { type Caller, callerNow } from '../../http/turns.ts';
import { avatarUrl } from './avatars/avatar-url.ts';
import type { ActiveMember } from './member.ts';
import { asActor } from './member-audit.ts';
import type { StoredProgramToken } from './program-tokens.ts';
import type { View } from './view.ts';

/** Whoever has a member's credential. */
export interface AccountPrincipal {
  kind: 'account';
  owner: string;
  scope: string;
  isShared: false;
  member: ActiveMember;
  /** What of the account it sees. */
  view: View;
  /** The uuid of the session whose cookie the request has; undefined with a token. */
  session: string | undefined;
  /** The token of a program, which may do what its scopes say and nothing else. */
  program: Pick<StoredProgramToken, '_id' | 'name' | 'scopes'> | undefined;
  /** Whether the member has to set up a second factor before its session does anything else. */
  lacksSecondFactor: boolean;
}

declare module '../../http/principal.ts' {
  interface Principals {
    account: AccountPrincipal;
  }
}

/**
 * @param widgets those that it is restricted to
 * @param by the session or the program's token that stands for the member, where it is not its own token
 */
export const accountPrincipal = (
  member: ActiveMember,
  widgets: View['widgets'],
  {
    session,
    program,
    lacksSecondFactor = false,
  }: Partial<Pick<AccountPrincipal, 'session' | 'program' | 'lacksSecondFactor'>> = {},
): AccountPrincipal => ({
  kind: 'account',
  owner: member.account,
  scope: scopeOf(member, program),
  isShared: false,
  member,
  view: { account: member.account, widgets },
  session,
  program,
  lacksSecondFactor,
});

const scopeOf = (member: ActiveMember, program: AccountPrincipal['program']): string => {
  if (program) return `program:${program._id}`;
  // The first member's Idempotency-Keys are those of before there were others, whoever stands in its place by now.
  return member._id === member.account ? `account:${member.account}` : `member:${member._id}`;
};

const principalOf = ({ state: { principal } }: Caller): AccountPrincipal => {
  if (principal?.kind !== 'account') throw new Error('the route lets others than members through');
  return principal;
};

/** The member that makes a request which `authenticate` let through. */
export const memberOf = (ctx: Caller): ActiveMember => principalOf(ctx).member;

/** The uuid of its session; undefined where it has shown a token. */
export const sessionOf = (ctx: Pick<Context, 'state'>): string | undefined => principalOf(ctx).session;

/**
 * The member that writes something itself; undefined where a program does it: with a token of its own, or with the
 * account's, which was for programs before there were others.
 */
export const authorOf = (ctx: Caller): MemberReference | undefined => {
  const { member, program, session } = principalOf(ctx);
  const isAccountToken = member.isFounder && session === undefined;
  return program || isAccountToken ? undefined : { uuid: member._id, name: member.name ?? '' };
};

/** The same with the picture that the member has now. @param base what its address begins with */
export const pictured = (ctx: Pick<Context, 'state'>, base: string): Author | undefined => {
  const author = authorOf(ctx);
  return author && { ...author, avatar: avatarUrl(base, memberOf(ctx).avatar) };
};

/** What the audit trail says of who makes a request that changes something. */
export const actionOf = (ctx: Pick<Context, 'state' | 'ip'>): Action => {
  const { member, program } = principalOf(ctx);
  const actor = asActor(member);
  return {
    ...publicActionOf(ctx),
    actor: program ? { ...actor, kind: 'program', token: program.name } : actor,
    stillAllowed: () => ctx.state.stillAllowed(),
  };
};

/** The same on a route that needs no credential. */
export const publicActionOf = (ctx: Pick<Context, 'state' | 'ip'>): ActionOfOne => ({
  name: ctx.state.operation,
  address: ctx.ip,
});

/** The account of the member that makes a request. */
export const accountOf = (ctx: Caller): string => memberOf(ctx).account;

/** What of its account the member that makes a request sees. */
export const viewOf = (ctx: Caller): View => principalOf(ctx).view;

/** The member that makes a request as it stands whenever it is called. It throws as `callerNow` does. */
export const memberNow = (ctx: Context): (() => Promise<ActiveMember>) => {
  const caller = callerNow(ctx);
  return async () => memberOf(await caller());
};

/**
 * The member looked at anew, and not only after a second: for what a session that was ended must not do. It throws what the
 * credential is refused with by then.
 */
export const memberAgain = (ctx: Context) => async (): Promise<ActiveMember> => {
  await ctx.state.authenticateAgain();
  return memberOf(ctx);
};

/** What it sees by then. It throws as `callerNow` does. */
export const viewNow = (ctx: Context): (() => Promise<View>) => {
  const caller = callerNow(ctx);
  return async () => viewOf(await caller());
};
