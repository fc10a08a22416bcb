import type { ConversationState } from '@parlor/shared';
import { rankOf, WAITING_RANK } from '@parlor/shared/conversation-rank';
import { type InboxViewName, inboxQuery, inboxViewAt } from '@parlor/shared/inbox-views';
import { me } from '../session/session.ts';

/** A view of the inbox: what of it is asked for, and what belongs into it. */
export interface View {
  /** As it stands in the address. */
  name: string;
  /** The query of its list. */
  query: string;
  has(conversation: ConversationState): boolean;
}

const isOpen = ({ status }: ConversationState): boolean => status === 'open';

const belongs: Record<InboxViewName, View['has']> = {
  mine: (one) => isOpen(one) && one.assignee === me.value?.uuid,
  unassigned: (one) => isOpen(one) && one.assignee === null,
  waiting: (one) => isOpen(one) && one.waiting_on === 'us',
  all: isOpen,
  snoozed: ({ status }) => status === 'snoozed',
  done: ({ status }) => status === 'done',
};

/** The view that the console shows at a path, such as /console/inbox/mine; undefined where it shows something else. */
export const viewAt = (path: string): View | undefined =>
  viewOf(path === '/console/' ? 'all' : (inboxViewAt(path) ?? ''));

/** The view that an address names; undefined when there is none. */
export const viewOf = (name: string): View | undefined => {
  const query = inboxQuery(name);
  if (query === undefined) return undefined;
  if (Object.hasOwn(belongs, name)) return { name, query, has: belongs[name as InboxViewName] };
  const [kind, value = ''] = name.split(/:(.*)/s);
  const has: View['has'] =
    kind === 'widget' ? ({ widget }) => widget === value : ({ tags }) => tags.includes(value);
  return { name, query, has: (one) => isOpen(one) && has(one) };
};

/** Times are parsed once for each: a list of 2 000 is put in order nine times as fast. What is known is never changed. */
const ranks = new WeakMap<ConversationState, number>();

const knownRankOf = (one: ConversationState): number => {
  let rank = ranks.get(one);
  if (rank === undefined) {
    rank = rankOf(one);
    ranks.set(one, rank);
  }
  return rank;
};

/** The order of every view, which is the server's by default. */
export const compare = (a: ConversationState, b: ConversationState): number =>
  knownRankOf(b) - knownRankOf(a) || (a.uuid < b.uuid ? 1 : a.uuid > b.uuid ? -1 : 0);

/** Whether a conversation stands among those that wait on us, before the rest. */
export const isWaiting = (one: ConversationState): boolean => knownRankOf(one) > WAITING_RANK;
