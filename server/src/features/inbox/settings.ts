import { type BulkChange, type ConversationPatch, MAX_TAGS } from '@parlor/shared';
import { type FieldErrors, invalid, throwIfAny } from '../../platform/errors.ts';
import type { Member } from '../members/member.ts';
import type { StoredConversation } from './conversation.model.ts';

/** How far ahead a conversation may be snoozed. */
const MAX_SNOOZE_MS = 366 * 86_400_000;

/** What is wanted of one conversation; `add_tags` and `remove_tags` come with a bulk change. */
export type Settings = Omit<Partial<ConversationPatch>, 'assignee'> &
  Pick<BulkChange, 'add_tags' | 'remove_tags'> & {
    /** The member that is to take care; null: nobody, undefined: whoever does already. */
    assignee: Member | null | undefined;
  };

/** What a change sets. @throws ParlorError `invalid` */
export const settingsOf = (
  current: StoredConversation,
  wanted: Settings,
  member: string,
): Partial<StoredConversation> => {
  const now = new Date();
  const set: Partial<StoredConversation> = {
    ...statusOf(current, wanted, now),
    ...(wanted.assignee !== undefined && { assignee: wanted.assignee?._id ?? null, assignee_at: now }),
    ...tagsOf(current, wanted),
  };
  if (Object.keys(set).length > 0) set.updated_at = now;
  if (wanted.is_unread !== undefined) {
    const others = current.unread.filter((one) => one !== member);
    set.unread = wanted.is_unread ? [...others, member] : others;
  }
  return set;
};

const statusOf = (
  current: StoredConversation,
  { status, snoozed_until: wanted }: Settings,
  now: Date,
): Partial<StoredConversation> => {
  if (status === undefined && wanted === undefined) return {};
  const until = wanted ? new Date(wanted) : null;
  const next = status ?? (until ? 'snoozed' : current.status === 'snoozed' ? 'open' : current.status);
  const errors: FieldErrors = {};
  if (until && next !== 'snoozed') errors.snoozed_until = ['Only what is snoozed has a time.'];
  else if (until && (until <= now || until.getTime() > now.getTime() + MAX_SNOOZE_MS)) {
    errors.snoozed_until = ['A time within the next 366 days is required.'];
  }
  const snoozed_until = next === 'snoozed' ? (until ?? current.snoozed_until) : null;
  if (next === 'snoozed' && !snoozed_until) errors.snoozed_until = ['This field is required.'];
  throwIfAny(errors);
  return { status: next, snoozed_until, status_at: now };
};

const tagsOf = (
  { tags: current }: StoredConversation,
  { tags, add_tags = [], remove_tags = [] }: Settings,
): Partial<StoredConversation> => {
  if (tags === undefined && add_tags.length === 0 && remove_tags.length === 0) return {};
  const kept = (tags ?? current).filter((tag) => !remove_tags.includes(tag));
  const next = [...new Set([...kept, ...add_tags])];
  if (next.length > MAX_TAGS) throw invalid({ tags: [`A conversation has at most ${MAX_TAGS} tags.`] });
  return { tags: next };
};
