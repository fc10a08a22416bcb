import type { ConversationState } from '@parlor/shared';
import { rankOf, WAITING_RANK } from '@parlor/shared/conversation-rank';
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

/** Those that everybody has, in the order of the side bar. */
export const VIEWS = ['mine', 'unassigned', 'waiting', 'all', 'snoozed', 'done'] as const;
export type ViewName = (typeof VIEWS)[number];

const views: Record<ViewName, Omit<View, 'name'>> = {
  mine: {
    query: 'status=open&assignee=me',
    has: (one) => isOpen(one) && one.assignee === me.value?.uuid,
  },
  unassigned: { query: 'status=open&assignee=none', has: (one) => isOpen(one) && one.assignee === null },
  waiting: { query: 'status=open&waiting_on=us', has: (one) => isOpen(one) && one.waiting_on === 'us' },
  all: { query: 'status=open', has: isOpen },
  snoozed: { query: 'status=snoozed', has: ({ status }) => status === 'snoozed' },
  done: { query: 'status=done', has: ({ status }) => status === 'done' },
};

/** The view that the console shows at a path, such as /console/inbox/mine; undefined where it shows something else. */
export const viewAt = (path: string): View | undefined => {
  const name = /^\/console\/inbox\/([^/]+)/.exec(path)?.[1] ?? (path === '/console/' ? 'all' : undefined);
  return name === undefined ? undefined : viewOf(decodeURIComponent(name));
};

/** The view that an address names; undefined when there is none. */
export const viewOf = (name: string): View | undefined => {
  if (Object.hasOwn(views, name)) return { name, ...views[name as ViewName] };
  const [kind, value = ''] = name.split(/:(.*)/s);
  if (value === '') return undefined;
  if (kind === 'widget') {
    return {
      name,
      query: `status=open&widget=${encodeURIComponent(value)}`,
      has: (one) => isOpen(one) && one.widget === value,
    };
  }
  if (kind === 'tag') {
    return {
      name,
      query: `status=open&tag=${encodeURIComponent(value)}`,
      has: (one) => isOpen(one) && one.tags.includes(value),
    };
  }
  return undefined;
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
