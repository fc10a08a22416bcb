import { randomInt } from 'node:crypto';
import { email as emailField, foldName, Registration } from '@parlor/shared';
import type { ActionOfOne } from '../../../events/audit.ts';
import { ParlorError } from '../../../platform/errors.ts';
import type { InvitationAcceptance } from '../invitation-acceptance.ts';
import type { ActiveMember, StoredMember } from '../member.ts';
import type { MemberStore } from '../member-store.ts';
import { OidcError } from './oidc-error.ts';
import type { Identity } from './provider.ts';

/** As every address that a member has. */
const addressField = emailField();

interface Parts {
  store: Pick<MemberStore, 'byKey'>;
  acceptance: Pick<InvitationAcceptance, 'of' | 'byAddress'>;
}

/**
 * The member whose address it is, or who accepts an invitation by signing in.
 * @throws OidcError where there is neither
 */
export const memberOfIdentity = async (
  { acceptance, store }: Parts,
  { email, preferred_username }: Identity,
  action: ActionOfOne,
): Promise<ActiveMember> => {
  // Of ASCII alone: no other letter is taken for one that it looks like or folds to.
  if (!addressField.safeParse(email).success) throw new OidcError('no_member');
  const byAddress = () => store.byKey({ email_key: foldName(email) });
  const known = await byAddress();
  if (known) return known;
  const invitations = await acceptance.of(email);
  const accounts = new Set(invitations.map(({ account }) => account));
  if (accounts.size > 1) throw new OidcError('several_invitations');
  // A crash may have left one that was replaced.
  const [invited] = invitations.sort((a, b) => b.created_at.getTime() - a.created_at.getTime());
  const usernames = usernamesFor(preferred_username, email);
  if (invited) await accept(acceptance, invited, { usernames, action });
  // Also where the same invitation was accepted by somebody with the same address at the same time.
  const accepted = await byAddress();
  if (!accepted) throw new OidcError('no_member');
  return accepted;
};

/** Accepts an invitation under the first of these names that is free. */
const accept = async (
  acceptance: Parts['acceptance'],
  invited: StoredMember,
  { usernames, action }: { usernames: readonly string[]; action: ActionOfOne },
): Promise<void> => {
  for (const username of usernames) {
    try {
      await acceptance.byAddress(invited, username, action);
      return;
    } catch (error) {
      // Somebody else has that name, or has become a member by this address meanwhile.
      if (!(error instanceof ParlorError && error.fields)) throw error;
      if (error.fields.email) return;
    }
  }
};

/** What somebody may be called who was not asked, the best first; the last one is free. */
const usernamesFor = (preferred: string | undefined, email: string): string[] =>
  [preferred, email, `member-${randomInt(2 ** 47)}`].flatMap((name) => {
    const { success, data } = Registration.shape.username.safeParse(name);
    return success ? [data] : [];
  });
