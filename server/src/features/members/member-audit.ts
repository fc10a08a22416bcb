import { type Action, type AuditedFields, auditEvent, changesOf } from '../../events/audit.ts';
import type { OutboxEvent } from '../../events/events.ts';
import type { MemberFields } from '../accounts/member-fields.ts';
import type { Member, StoredMember } from './member.ts';

type Settings = Pick<StoredMember, 'role' | 'widgets'>;

/** undefined takes a field away. */
export type Changed = {
  [Field in keyof (MemberFields & Settings)]?: (MemberFields & Settings)[Field] | undefined;
};

/** What the audit trail names of a member. */
export const AUDITED_FIELDS: AuditedFields<Changed> = {
  fields: {
    name: 'name',
    avatar: 'avatar',
    role: 'role',
    widgets: 'widgets',
    password: 'password',
    token_sealed: 'token',
    totp_sealed: 'totp',
  },
  shown: ['name', 'role', 'widgets'],
};

export const asAudited = ({ _id, username, email }: Pick<Member, '_id' | 'username' | 'email'>) =>
  ({ kind: 'member', uuid: _id, label: username ?? email }) as const;

/** The member as the one who does something. */
export const asActor = ({ _id, username = '' }: Pick<Member, '_id' | 'username'>): Action['actor'] => ({
  kind: 'member',
  uuid: _id,
  name: username,
  token: null,
});

/** The entry of a change of a member; none where nothing changes that has a name. */
export const changeEvents = (action: Action | undefined, current: Member, set: Changed): OutboxEvent[] => {
  const changes = changesOf(AUDITED_FIELDS, current as Changed, set);
  if (!action || changes.length === 0) return [];
  return [auditEvent(action, current.account, asAudited(current), changes)];
};
