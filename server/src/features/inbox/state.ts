import { ConversationState, type ConversationUpdated, rankOf } from '@parlor/shared';
import { present } from '../../database/document.ts';
import { newEvent, type OutboxEvent } from '../../events/events.ts';
import type { StoredConversation } from './conversation.model.ts';
import { latestOf, waitingOf } from './waiting.ts';

/** What follows from the rest of a conversation: who waits for whom, and where it stands in lists. */
export const derived = (conversation: StoredConversation): Partial<StoredConversation> => {
  const { heard, is_bot_use, status } = conversation;
  const { sender, since, answered } = waitingOf(heard);
  // A bot waits for nobody, and what is done neither.
  const isWaiting = sender !== null && !is_bot_use && status !== 'done';
  const waiting_on = isWaiting ? (sender === 'visitor' ? 'us' : 'visitor') : null;
  const waiting_since = isWaiting ? since : null;
  const said = latestOf(heard)?.at ?? conversation.created_at;
  const updated_at = said > conversation.updated_at ? said : conversation.updated_at;
  const rank = new Date(rankOf({ status, waiting_on, waiting_since, updated_at }));
  return { waiting_on, waiting_since, first_response_at: answered, updated_at, rank };
};

/** Fields whose change is told. */
const TOLD = [
  'status',
  'snoozed_until',
  'waiting_on',
  'waiting_since',
  'first_response_at',
  'assignee',
  'tags',
  'rating',
  'is_bot_use',
  'label',
  'widget',
] as const satisfies readonly (keyof StoredConversation)[];

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (a instanceof Date && b instanceof Date && a.getTime() === b.getTime()) ||
  (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, at) => isSame(one, b[at])));

/** The fields of `wanted` that differ; undefined when none does. */
export const differing = (
  current: StoredConversation,
  wanted: Partial<StoredConversation>,
): Partial<StoredConversation> | undefined => {
  const names = Object.keys(wanted) as (keyof StoredConversation)[];
  const changed = names.filter((name) => !isSame(current[name], wanted[name]));
  return changed.length > 0 ? Object.fromEntries(changed.map((name) => [name, wanted[name]])) : undefined;
};

/** A conversation without what takes further reading. */
export const presentState = (conversation: StoredConversation): ConversationState =>
  present(ConversationState, conversation, {
    widget: conversation.widget || null,
  });

/**
 * The event of a change, if it is one that is told.
 * @param by the member who made it; null where it followed from what was said, or from time
 */
export const updatedEvent = (
  current: StoredConversation,
  set: Partial<StoredConversation>,
  by: ConversationUpdated['by'],
): OutboxEvent[] => {
  const changed = TOLD.filter((name) => name in set);
  if (changed.length === 0) return [];
  const previous = Object.fromEntries(
    (['status', 'assignee', 'tags'] as const).flatMap((name) => (name in set ? [[name, current[name]]] : [])),
  );
  const now = Object.assign({}, current, set);
  const data = { ...presentState(now), changed, previous, by };
  const { account, _id: room, widget } = now;
  return [newEvent('conversation.updated', account, new Date(), data, { room, widget })];
};

/**
 * Tells a member's other sockets that it has read a conversation, or marked it unread.
 * @param set what is set of it
 */
export const markedEvent = (
  { account, _id: room, widget, unread }: StoredConversation,
  set: Partial<StoredConversation>,
  member: string,
): OutboxEvent[] => {
  const is_unread = (set.unread ?? unread).includes(member);
  if (is_unread === unread.includes(member)) return [];
  return [newEvent('conversation.marked', account, new Date(), { member, is_unread }, { room, widget })];
};

/**
 * A change with all that follows from it.
 * @returns undefined when nothing changes
 */
export const changeOf = (
  current: StoredConversation,
  wanted: Partial<StoredConversation>,
  by: ConversationUpdated['by'] = null,
): { set: Partial<StoredConversation>; events: OutboxEvent[] } | undefined => {
  const next = Object.assign({}, current, wanted);
  const set = differing(current, { ...wanted, ...derived(next) });
  if (!set) return undefined;
  return { set, events: updatedEvent(current, set, by) };
};
