import type { EventName, RealtimeEvent } from '@parlor/shared';
import { Schema, type SchemaDefinition } from 'mongoose';
import type { Index } from '../database/model.ts';
import { newUuid } from '../platform/ids.ts';

/** What is announced: to webhooks, to realtime clients, or to both; or to the audit trail alone (audit.ts). */
export type OutboxEventName = EventName | RealtimeEvent | 'audit';

/** Something that happened to an object, kept inside the object's own document until it has been announced. */
export interface OutboxEvent {
  id: string;
  name: OutboxEventName;
  account: string;
  at: Date;
  /** What subscribers are told: the object as the write left it (docs/contract.md#events). */
  data: object;
  /** When that was said which it tells of, where it happened later: erasure goes by it. */
  said_at?: Date;
  /** The conversation that it belongs to, where `data` does not say it. */
  room?: string;
  /** The widget that it belongs to; absent where it came by the API, and in the events of an older process. */
  widget?: string;
  /** What live clients are told beside `data`; a webhook's data has exactly the fields of its contract. */
  live?: object;
  /** A message that a bot is to answer (agent/room-answers.ts). */
  is_for_bot?: true;
  /** Keyed hashes of the address that a visitor's message came from (http/asked-from.ts), for what follows the events alone. */
  asked_from?: string[];
  /** It tells of a deletion, of which more follows (erasure/deleted-objects.ts). */
  is_deletion?: true;
}

/** A document that may carry events. */
export interface EventHolder {
  _id: string;
  /** Absent when all have been announced, so that the sparse index holds what is waiting and nothing else. */
  events?: OutboxEvent[];
}

export const newEvent = (
  name: OutboxEventName,
  account: string,
  at: Date,
  data: object,
  { room, widget }: { room?: string | undefined; widget?: string | undefined } = {},
): OutboxEvent => ({
  id: newUuid(),
  name,
  account,
  at,
  data,
  ...(room !== undefined && { room }),
  ...(widget && { widget }),
});

/** The conversation that an event belongs to, where it belongs to one. */
export const roomOf = ({ name, data, room }: OutboxEvent): string | undefined => {
  if (room !== undefined) return room;
  const { uuid, room: inside } = data as { uuid?: string; room?: { uuid?: string } };
  if (name === 'message.added') return inside?.uuid;
  return name === 'chat.added' || name === 'room.updated' ? uuid : undefined;
};

export const isOfLead = ({ name }: Pick<OutboxEvent, 'name'>): boolean => name.startsWith('lead.');

/** Whether it says what stands in a note; that one was deleted says nothing but its uuid. */
export const isOfNote = ({ name }: Pick<OutboxEvent, 'name'>): boolean =>
  name === 'note.added' || name === 'note.changed';

/** The note that an event tells of. */
export const noteOf = ({ data }: Pick<OutboxEvent, 'data'>): string => (data as { uuid: string }).uuid;

/** By what the words of an event are erased: the lead that it tells of, else its conversation. */
export const subjectOf = (event: OutboxEvent): string => {
  const { uuid = '' } = event.data as { uuid?: string };
  return isOfLead(event) ? uuid : (roomOf(event) ?? uuid);
};

const eventSchema = new Schema<OutboxEvent>(
  {
    id: String,
    name: String,
    account: String,
    at: Date,
    data: Schema.Types.Mixed,
    said_at: Date,
    room: String,
    widget: String,
    live: Schema.Types.Mixed,
    is_for_bot: Boolean,
    asked_from: { type: [String], default: undefined },
    is_deletion: Boolean,
  },
  { _id: false, id: false, minimize: false },
);

/** The fields of a model whose documents carry events. */
export const outboxFields: SchemaDefinition = { events: { type: [eventSchema], default: undefined } };

/** The index by which a relay finds what another process left behind. */
export const outboxIndex: Index = [{ 'events.at': 1 }, { sparse: true }];
