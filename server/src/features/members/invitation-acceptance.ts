import { type Acceptance, foldName } from '@parlor/shared';
import { type ActionOfOne, auditEvent } from '../../events/audit.ts';
import { invalid, type ParlorError, throwIfAny } from '../../platform/errors.ts';
import { secretHash } from '../../platform/random-secret.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { Tries } from '../../platform/tries.ts';
import type { MemberFields } from '../accounts/member-fields.ts';
import { chosenPasswordErrors, hashPassword } from '../accounts/passwords.ts';
import { newToken, sealedToken } from '../accounts/token.ts';
import type { UniqueNames } from '../accounts/unique-names.ts';
import type { Member, StoredMember } from './member.ts';
import { asActor, asAudited } from './member-audit.ts';
import { type MemberModels, type MemberStore, memberPlace } from './member-store.ts';
import { isStillGiven } from './sent-invitations.ts';

/** More invitations of one address than these are not looked at. */
const MAX_INVITATIONS = 100;

/** Where an invitation leads: behind the number sign its token stands in no log and in no Referer. */
export const invitationPath = (token: string): string => `/console/invitation#token=${token}`;

interface Parts {
  models: MemberModels;
  store: Pick<MemberStore, 'active' | 'announce' | 'get'>;
  names: UniqueNames;
  secrets: Secrets;
}

/** How those who are invited become members (docs/contract.md#members). */
export class InvitationAcceptance {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Accepts an invitation by its link, once.
   * @throws ParlorError `invalid` for one that is no good, and as registering does
   */
  async byLink({ token, username, password, password2 }: Acceptance, action?: ActionOfOne): Promise<Member> {
    const { models, store } = this.#parts;
    const open = openOf({ invitation_hash: secretHash(token) });
    const invited = await models.members.findOne(open).lean<StoredMember>();
    if (!invited) throw noInvitation();
    const { _id, account, email } = invited;
    throwIfAny(chosenPasswordErrors({ password, password2 }, { username, email }));
    const hashed = await hashPassword(password);
    if (!(await this.#activate(invited, { username, password: hashed }, action))) throw noInvitation();
    return store.get(account, _id);
  }

  /** The open invitations of an address, by whichever accounts. */
  of(email: string): Promise<StoredMember[]> {
    const open = { invitation_key: foldName(email), invitation_expires_at: { $gt: new Date() } };
    return this.#parts.models.members.find(open).limit(MAX_INVITATIONS).lean<StoredMember[]>();
  }

  /**
   * Accepts an invitation for somebody whose address a provider has verified, without a password.
   * @returns false when it is no good any more
   * @throws ParlorError `invalid` for a name or address that somebody else has
   */
  byAddress(invited: StoredMember, username: string, action?: ActionOfOne): Promise<boolean> {
    return this.#activate(invited, { username }, action);
  }

  /** @returns false when it has just been accepted or withdrawn, has run out, its sender could not send it any more, or its account is being deleted */
  async #activate(
    invited: StoredMember,
    given: Pick<MemberFields, 'username'> & Partial<Pick<MemberFields, 'password'>>,
    action: ActionOfOne | undefined,
  ): Promise<boolean> {
    const tries = new Tries('the acceptance of an invitation');
    for (let current: StoredMember | null = invited; current; ) {
      tries.next();
      if (await this.#activateAsItIs(current, given, action)) return true;
      const { _id, invitation_hash, version }: StoredMember = current;
      current = await this.#parts.models.members
        .findOne(openOf({ _id, invitation_hash }))
        .lean<StoredMember>();
      if (current?.version === version) return false;
    }
    return false;
  }

  /** @returns false also where it has been changed since it was read, as its role, by which it is judged */
  async #activateAsItIs(
    invited: StoredMember,
    given: Pick<MemberFields, 'username'> & Partial<Pick<MemberFields, 'password'>>,
    action: ActionOfOne | undefined,
  ): Promise<boolean> {
    const { models, names, secrets, store } = this.#parts;
    const { _id, account, email, invitation_hash, version = null } = invited;
    if (!(await models.accounts.exists({ _id: account, deleted_at: null }))) return false;
    if (!(await isStillGiven(store, invited))) return false;
    const keys = { username_key: foldName(given.username), email_key: foldName(email) };
    const set = {
      ...keys,
      ...given,
      ...sealedToken(secrets, memberPlace({ ...invited, isFounder: false }), newToken()),
    };
    const who = { ...invited, username: given.username, isFounder: false };
    const events = action ? [auditEvent({ actor: asActor(who), ...action }, account, asAudited(who))] : [];
    const unset = {
      ...({ invitation_hash: 1, invitation_key: 1, invitation_expires_at: 1 } as const),
      invited_by: 1,
    } as const;
    const open = { ...openOf({ _id, invitation_hash }), version };
    const pushed = events.length > 0 && { $push: { events: { $each: events } } };
    const update = { $set: set, $unset: unset, $inc: { version: 1 }, ...pushed };
    const { modifiedCount } = await names.take(keys, () =>
      models.members.updateOne(open as never, update as never),
    );
    if (modifiedCount === 0) return false;
    store.announce(who, events);
    return true;
  }
}

/** Among invitations, those that have not run out. */
const openOf = (which: Partial<Pick<StoredMember, '_id' | 'invitation_hash'>>) => ({
  ...which,
  invitation_expires_at: { $gt: new Date() },
});

const noInvitation = (): ParlorError =>
  invalid({ token: ['This invitation is not good, has run out or was used.'] });
