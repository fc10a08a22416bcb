import type { InboxStatus, WaitingOn } from '@parlor/shared';
import { INBOX_STATUSES, WAITING_RANK } from '@parlor/shared';
import { type Page, readPages } from '../../database/pages.ts';
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

/**
 * The index that serves a list: by the field that leaves the fewest. Named, so that no database takes one by which it
 * would search an account for a few, or sort.
 */
export const indexFor = (view: View, wanted: Wanted, field: string): Record<string, 1 | -1> => {
  const { assignee, tag, unread, rating, widget } = wanted;
  const order = { [field]: -1, _id: -1 } as const;
  if (unread?.is) return { account: 1, unread: 1, status: 1, ...order };
  if (tag !== undefined) return { account: 1, tags: 1, status: 1, ...order };
  if (assignee) return { account: 1, assignee: 1, status: 1, ...order };
  if (rating !== undefined) return { account: 1, rating: 1, status: 1, ...order };
  if (widget !== undefined || view.widgets) return { widget: 1, status: 1, ...order };
  if (assignee === null) return { account: 1, assignee: 1, status: 1, ...order };
  return { account: 1, status: 1, ...order };
};

/** Of no more than these it is looked at each whether it is asked for. */
const FEW = 2_000;

/** The same for somebody who is restricted to widgets: where those have few, they are gone through, however many have a tag. */
const indexWithin = async (
  conversations: ConversationModel,
  view: View,
  wanted: Wanted,
  field: string,
): Promise<Record<string, 1 | -1>> => {
  const index = indexFor(view, wanted, field);
  const { status, widget } = wanted;
  const seen = filterOf(view, { status, widget });
  if (!view.widgets || 'widget' in index || !seen) return index;
  const own = indexFor(view, { status, widget }, field);
  const count = await conversations.collection.countDocuments(seen as never, { limit: FEW + 1, hint: own });
  return count > FEW ? index : own;
};

/** A page of what somebody sees of what is asked for, in steps. */
export async function* readConversations(
  conversations: ConversationModel,
  view: View,
  wanted: Wanted,
  order: Order,
  page: Page,
): AsyncGenerator<StoredConversation[]> {
  const filter = filterOf(view, wanted);
  if (!filter) return;
  const field = timeFieldOf(order);
  // What waits on us stands together at the top of its order.
  const from = wanted.waiting_on === 'us' && order === 'waiting' && wanted.status === 'open';
  const limits = from ? { ...page, from: new Date(WAITING_RANK) } : page;
  const index = await indexWithin(conversations, view, wanted, field);
  yield* readPages(conversations, filter, field, limits, { index });
}
