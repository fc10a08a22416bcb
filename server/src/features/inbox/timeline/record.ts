import type { ConversationChange, ConversationUpdated } from '@parlor/shared';
import { insertMissing } from '../../../database/insert.ts';
import type { OutboxEvent } from '../../../events/events.ts';
import type { EventConsumer } from '../../../events/relay.ts';
import type { RoomModel } from '../../rooms/rooms.model.ts';
import type { ConversationEventModel, StoredConversationEvent } from './conversation-event.model.ts';

const without = (list: readonly string[], others: readonly string[]): string[] =>
  list.filter((one) => !others.includes(one));

/** What of a change the timeline shows; who waits for whom can be seen from what was said. */
const changesIn = (data: ConversationUpdated): ConversationChange[] => {
  const { changed, previous, status, snoozed_until, assignee, tags, rating, is_bot_use } = data;
  const has = (field: keyof ConversationUpdated) => changed.includes(field);
  const changes: ConversationChange[] = [];
  // Also where what is snoozed gets another time.
  if (has('status') || (has('snoozed_until') && snoozed_until !== null)) {
    changes.push({ field: 'status', from: previous.status ?? status, to: status, snoozed_until });
  }
  if (has('assignee')) {
    changes.push({ field: 'assignee', from: previous.assignee ?? null, to: assignee });
  }
  if (has('tags')) {
    const before = previous.tags ?? [];
    changes.push({ field: 'tags', added: without(tags, before), removed: without(before, tags) });
  }
  if (has('rating')) changes.push({ field: 'rating', to: rating });
  if (has('is_bot_use')) changes.push({ field: 'is_bot_use', to: is_bot_use });
  return changes;
};

/** What the timeline shows of an event. */
export const recordOf = ({ id, name, account, at, data, room }: OutboxEvent): StoredConversationEvent[] => {
  if (name !== 'conversation.updated' || room === undefined) return [];
  const changes = changesIn(data as ConversationUpdated);
  const { by } = data as ConversationUpdated;
  return changes.length > 0 ? [{ _id: id, account, room, at, by, changes }] : [];
};

/**
 * Writes down what was done with conversations, for their timelines. What is told of a room only after it was deleted, or
 * made anew, is left out.
 */
export const createRecorder =
  ({ events, rooms }: { events: ConversationEventModel; rooms: RoomModel }): EventConsumer =>
  async (told) => {
    const records = told.flatMap(recordOf);
    if (records.length === 0) return;
    const named = { _id: { $in: [...new Set(records.map(({ room }) => room))] } };
    const found = await rooms.find(named, { created_at: 1 }).lean();
    const made = new Map(found.map(({ _id, created_at }) => [_id, created_at]));
    const kept = records.filter(({ room, at }) => {
      const since = made.get(room);
      return since !== undefined && since <= at;
    });
    if (kept.length > 0) await insertMissing(events, kept);
  };
