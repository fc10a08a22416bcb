import { Member as ApiMember, type Role } from '@parlor/shared';
import { present } from '../../database/document.ts';
import type { EventHolder } from '../../events/events.ts';
import { forbidden } from '../../platform/errors.ts';
import type { Account } from '../accounts/accounts.model.ts';
import { type MemberFields, memberFields } from '../accounts/member-fields.ts';
import { avatarKey, avatarUrl } from './avatars/avatar-url.ts';

/** A member beside the founding one, who stands in the account itself. */
export interface StoredMember
  extends Partial<Omit<MemberFields, 'email' | 'created_at'>>,
    Pick<MemberFields, 'email' | 'created_at'>,
    EventHolder {
  _id: string;
  account: string;
  role: Role;
  /** What an operator is restricted to; of an owner or admin it says nothing. */
  widgets?: string[];
  /** SHA-256 of what the link of its invitation holds; until that is accepted it has no username. */
  invitation_hash?: string;
  /** The folded address that it was sent to, which is nobody's before it is accepted. */
  invitation_key?: string;
  invitation_expires_at?: Date;
  /** The uuid of the member who sent it; absent where an older version, or whoever runs the server, did. */
  invited_by?: string;
}

/** A person of an account, wherever it is stored. */
export interface Member extends Omit<StoredMember, 'events'> {
  /** Whether its fields stand in the account's document. */
  isFounder: boolean;
}

/** Somebody who can sign in. */
export type ActiveMember = Member & MemberFields;

const MEMBER_FIELDS = Object.keys(memberFields) as (keyof MemberFields)[];

/** The member that an account was made for, or who has taken its place: no field that is the account's own. */
export const founderOf = (account: Account): ActiveMember => {
  const own: Record<string, unknown> = {};
  for (const name of MEMBER_FIELDS) if (account[name] !== undefined) own[name] = account[name];
  return Object.assign(own as unknown as MemberFields, {
    _id: account.founder ?? account._id,
    account: account._id,
    role: 'owner' as const,
    isFounder: true,
  });
};

/** @returns the member, if it has accepted its invitation */
export const activeOf = (member: Member | undefined): ActiveMember | undefined =>
  member?.username_key === undefined ? undefined : (member as ActiveMember);

/** The uuids of the widgets that somebody is restricted to; undefined: it sees all. */
export const restrictionOf = ({
  role,
  widgets,
}: Pick<StoredMember, 'role' | 'widgets'>): readonly string[] | undefined =>
  role === 'operator' ? widgets : undefined;

/** Admins do everything but what is about owners. @throws ParlorError `forbidden` */
export const mayTouch = ({ role }: Pick<Member, 'role'>, other: Pick<Member, 'role'>): void => {
  if (role !== 'owner' && other.role === 'owner') throw forbidden();
};

/**
 * The API's form of a member.
 * @param base what the address of its picture begins with
 * @param seen the widgets that whoever asks is restricted to: it learns of no others
 */
export const presentMember = (member: Member, base = '', seen?: readonly string[]): ApiMember => {
  const widgets = restrictionOf(member);
  return present(ApiMember, member, {
    widgets: (seen ? widgets?.filter((one) => seen.includes(one)) : widgets) ?? null,
    username: member.username ?? null,
    name: member.name || member.username || '',
    avatar: avatarUrl(base, member.avatar),
    is_away: member.is_away ?? false,
    has_password: member.password !== undefined,
    has_totp: member.totp_sealed !== undefined,
    invitation_expires_at: member.invitation_expires_at ?? null,
    seen_at: member.seen_at ?? null,
  });
};

/**
 * What of a member people change, of which its entity tag is made: that it is here again is no change, nor where the server
 * is.
 */
export const settingsOf = ({ seen_at, ...settings }: ApiMember): Omit<ApiMember, 'seen_at'> => ({
  ...settings,
  avatar: avatarKey(settings.avatar),
});
