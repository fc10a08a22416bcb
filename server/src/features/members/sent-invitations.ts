import type { Role } from '@parlor/shared';
import type { Action } from '../../events/audit.ts';
import { ParlorError } from '../../platform/errors.ts';
import { activeOf, type Member, type StoredMember } from './member.ts';
import type { MemberStore } from './member-store.ts';

/** Whether somebody of a role invites others as another one; undefined for who is no member any more. */
const mayInvite = (inviter: Role | undefined, role: Role): boolean =>
  inviter === 'owner' || (inviter === 'admin' && role !== 'owner');

/**
 * Takes back the open invitations that a member has sent, and has the links of, but could not send any more. One that a
 * crash leaves opens nothing: accepting asks `isStillGiven`.
 * @param role what the member is now; undefined once it is removed
 */
export const withdrawSent = async (
  store: Pick<MemberStore, 'of' | 'withdraw'>,
  { _id, account }: Pick<Member, '_id' | 'account'>,
  role: Role | undefined,
  action?: Action,
): Promise<void> => {
  for (const one of await store.of(account)) {
    const isSent = one.invited_by === _id && !activeOf(one);
    if (isSent && !mayInvite(role, one.role)) await store.withdraw(one, action);
  }
};

/** @throws ParlorError `conflict` for an open invitation that would open nothing, since its sender could not send it so */
export const requireSendable = async (store: Pick<MemberStore, 'active'>, invited: Member): Promise<void> => {
  if (activeOf(invited) || (await isStillGiven(store, invited))) return;
  throw new ParlorError(
    'conflict',
    `Who has sent this invitation may not invite an ${invited.role}: invite the address anew.`,
  );
};

/** Whether the one who has sent an invitation could still do so. */
export const isStillGiven = async (
  store: Pick<MemberStore, 'active'>,
  { account, invited_by, role }: Pick<StoredMember, 'account' | 'invited_by' | 'role'>,
): Promise<boolean> => {
  if (invited_by === undefined) return true;
  const inviter = await store.active(account, invited_by);
  return mayInvite(inviter?.member.role, role);
};
