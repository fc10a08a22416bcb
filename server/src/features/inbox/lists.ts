import type { InboxStatus, WaitingOn } from '@parlor/shared';
import { INBOX_STATUSES, WAITING_RANK } from '@parlor/shared';
import type { Index } from '../../database/fewest.ts';
import { type Page, readPages, type Steps } from '../../database/pages.ts';
import type { View } from '../members/view.ts';
import type { ConversationModel, StoredConversation } from './conversation.model.ts';

/** What a list of conversations is asked for; undefined: whatever it is. */
export interface Wanted {
  status?: InboxStatus | undefined;
  /** null: nobody's. */
  assignee?: string | null | undefined;
  widget?: string | undefined;
  tag?: string | undefined;
  waiting_on?: WaitingOn | undefined;
  /** Whether this member has yet to read it. */
  unread?: { member: string; is: boolean } | undefined;
  rating?: number | undefined;
}

/** How a list is ordered: by who waits for whom, or by when something was last said or changed. */
export const ORDERS = ['waiting', 'updated'] as const;
export type Order = (typeof ORDERS)[number];

const FIELD_OF = { waiting: 'rank', updated: 'updated_at' } as const;

/** The time by which an order goes, and its pages. */
export const timeFieldOf = (order: Order): 'rank' | 'updated_at' => FIELD_OF[order];

/** In what is done nobody waits. It is by far the most, and is not searched for who does. */
const WAITING: readonly InboxStatus[] = ['open', 'snoozed'];

/**
 * What somebody sees of what is asked for, as a filter that begins with the fields of an index; undefined where that is
 * nothing.
 */
export const filterOf = ({ account, widgets }: View, wanted: Wanted): object | undefined => {
  const { status, assignee, widget, tag, waiting_on, unread, rating } = wanted;
  if (widget !== undefined && widgets?.includes(widget) === false) return undefined;
  const among = waiting_on === undefined ? INBOX_STATUSES : WAITING;
  if (status !== undefined && !among.includes(status)) return undefined;
  const seen = widget === undefined ? widgets && { $in: widgets } : widget;
  return {
    account,
    ...(seen !== undefined && { widget: seen }),
    status: status ?? { $in: among },
    ...(assignee !== undefined && { assignee }),
    ...(tag !== undefined && { tags: tag }),
    ...(unread && { unread: unread.is ? unread.member : { $ne: unread.member } }),
    ...(rating !== undefined && { rating }),
    ...(waiting_on !== undefined && { waiting_on }),
  };
};

const inOrder = (field: string) => ({ status: 1, [field]: -1, _id: -1 }) as const;

/** With the widget, so that of what somebody does not see no entry is looked at; without an order, so that few writes move it. */
const toCount = (field: 'assignee' | 'tags' | 'unread'): Index => ({
  account: 1,
  [field]: 1,
  status: 1,
  widget: 1,
});

/**
 * The indexes that serve a list, each by one field; first those of fields that mostly leave few. That of what is unread comes
 * last: it is taken where it holds few, which are sorted then.
 */
const indexesFor = (view: View, wanted: Wanted, field: string): [Index, ...Index[]] => {
  const { assignee, tag, unread, rating, widget } = wanted;
  const order = inOrder(field);
  const found: Index[] = [];
  if (tag !== undefined) found.push({ account: 1, tags: 1, ...order });
  if (assignee) found.push({ account: 1, assignee: 1, ...order });
  if (rating !== undefined) found.push({ account: 1, rating: 1, ...order });
  if (widget !== undefined || view.widgets) found.push({ widget: 1, ...order });
  if (assignee === null) found.push({ account: 1, assignee: 1, ...order });
  const [first = { account: 1, ...order }, ...others] = found;
  return [first, ...others, ...(unread?.is ? [toCount('unread')] : [])];
};

/**
 * The index that tells how many there are. Named, so that no database takes one by which it would search an account for a
 * few.
 */
export const indexToCount = (view: View, { assignee, tag, unread, widget }: Wanted): Index => {
  if (unread?.is) return toCount('unread');
  if (tag !== undefined) return toCount('tags');
  if (assignee !== undefined) return toCount('assignee');
  const order = inOrder('rank');
  return widget !== undefined || view.widgets ? { widget: 1, ...order } : { account: 1, ...order };
};

/** A page of what somebody sees of what is asked for, in steps. */
export async function* readConversations(
  conversations: ConversationModel,
  view: View,
  wanted: Wanted,
  order: Order,
  page: Page,
): Steps<StoredConversation> {
  const field = timeFieldOf(order);
  // What waits on us stands together at the top of its order, which says it all.
  const isAtTop = wanted.waiting_on === 'us' && order === 'waiting' && wanted.status === 'open';
  const filter = filterOf(view, isAtTop ? { ...wanted, waiting_on: undefined } : wanted);
  if (!filter) return undefined;
  const limits = isAtTop ? { ...page, from: new Date(WAITING_RANK) } : page;
  const indexes = indexesFor(view, wanted, field);
  // Whoever is restricted, is so to widgets of the account; any other one may name that of another.
  const implied = view.widgets ? ['account'] : [];
  // Where a page ends by another index may be at a conversation of another widget.
  const along = view.widgets && { widget: 1 as const, ...inOrder(field) };
  return yield* readPages(conversations, filter, field, limits, { indexes, along, implied });
}
