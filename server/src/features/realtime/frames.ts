import { REALTIME_EVENTS, ServerFrame } from '@parlor/shared';
import { isOfLead, isOfNote, noteOf, type OutboxEvent, roomOf, subjectOf } from '../../events/events.ts';
import { type EventLogEntry, outlastsErasure } from './event-log.model.ts';
import type { NewEntry } from './event-log.ts';

/** Names of what the channel carries, among all events of the outbox. */
const CARRIED: ReadonlySet<string> = new Set(REALTIME_EVENTS);

/** What is told once, and has no id. */
const PASSING: ReadonlySet<string> = new Set(['typing', 'viewing', 'presence']);

export const isPassing = ({ name }: Pick<EventLogEntry, 'name'>): boolean => PASSING.has(name);

/** The log's entry for an event of the outbox; undefined for one that the channel does not carry. */
export const entryOf = (event: OutboxEvent): NewEntry | undefined => {
  if (!CARRIED.has(event.name)) return undefined;
  const { id, name, account, at, data, live, widget } = event;
  const room = roomOf(event);
  return {
    event: id,
    name: name as NewEntry['name'],
    account,
    at,
    data: live ? { ...data, ...live } : data,
    ...(room !== undefined && { room }),
    ...(widget && { widget }),
    ...(isOfLead(event) && !outlastsErasure(event) && { lead: subjectOf(event) }),
    ...(isOfNote(event) && { note: noteOf(event) }),
  };
};

/**
 * An entry as clients get it: made and checked once, whoever and how many they are.
 * @returns the frame's text; undefined when it would break the contract, which is a defect of its writer
 */
export const frameText = (entry: EventLogEntry, id: string): string | undefined => {
  const { name, room, data } = entry;
  const frame = {
    type: name,
    ...(!isPassing(entry) && { id }),
    ...(room !== undefined && { room }),
    data,
  };
  return ServerFrame.safeParse(frame).success ? JSON.stringify(frame) : undefined;
};

/** A frame that the server makes of its own. */
export const ownFrame = (frame: ServerFrame): string => JSON.stringify(frame);
