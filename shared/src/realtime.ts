import { z } from 'zod';
import { ConversationCounts, ConversationUpdated } from './conversation.ts';
import { boolean, datetime, optionalText, uuidReference } from './fields.ts';
import { Lead } from './lead.ts';
import { MAX_FOLLOWED_ROOMS, MAX_NICKNAME, MAX_UNREAD, MAX_UNREAD_ROOMS } from './limits.ts';
import { AuthorThen, CreatedMessage } from './message.ts';
import { NoteWritten } from './note.ts';
import { Room } from './room.ts';
import { RoomReference } from './room-reference.ts';

/**
 * The frames of the live channel, `GET /api/v1/realtime` (docs/contract.md#live-channel). All are JSON
 * objects in text frames.
 */

/** Where the channel is. */
export const REALTIME_PATH = '/api/v1/realtime';

/** The sides of a room: `person` is a member, or a program of the account. */
export const SIDES = ['visitor', 'person', 'bot'] as const;
export type Side = (typeof SIDES)[number];

const roomId = () => z.uuid();

/** What a client may ask for with its credential. */
const WANTED = {
  /** Narrows what a member sees to these rooms. */
  rooms: z.array(uuidReference()).max(MAX_FOLLOWED_ROOMS).optional(),
  /** The id of the last event that the client has. */
  after: z.string().max(100).optional(),
  /** Whether a member is told the numbers of its side bar, now and when they change. */
  counts: boolean().optional(),
};

const AuthFrame = z.discriminatedUnion('scheme', [
  z.object({
    type: z.literal('auth'),
    scheme: z.enum(['Visitor', 'Token']),
    token: z.string().max(500),
    ...WANTED,
  }),
  /** The cookie that came with the upgrade, from a page of the server itself; of no other member than the given one. */
  z.object({
    type: z.literal('auth'),
    scheme: z.literal('Session'),
    member: uuidReference().optional(),
    ...WANTED,
  }),
]);
/** Who a client says it is. */
export type AuthFrame = z.infer<typeof AuthFrame>;

/** What a client may send. A visitor has one room, and need not name it. */
export const ClientFrame = z.discriminatedUnion('type', [
  AuthFrame,
  z.object({
    type: z.literal('typing'),
    room: uuidReference().optional(),
    is_typing: boolean(),
    nickname: optionalText(MAX_NICKNAME),
  }),
  z.object({ type: z.literal('read'), room: uuidReference().optional(), message: uuidReference() }),
  /** How many messages of the other side are unread in these rooms, and how far each side has read. */
  z.object({ type: z.literal('unread'), rooms: z.array(uuidReference()).max(MAX_UNREAD_ROOMS).optional() }),
  /** Which room a member has open, null being none; one socket views one room at a time. */
  z.object({
    type: z.literal('viewing'),
    room: uuidReference().nullable(),
    is_typing: boolean().default(false),
  }),
  z.object({ type: z.literal('ping') }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;
/** What a client writes; the server fills in the defaults. */
export type ClientFrameInput = z.input<typeof ClientFrame>;

/** A message with the room that it is in. */
export const MessageAdded = CreatedMessage.extend({
  /** Absent in the events of a server that was older. */
  is_bot: z.boolean().optional(),
  author: AuthorThen.optional(),
  room: RoomReference,
}).loose();
export type MessageAdded = z.infer<typeof MessageAdded>;

/** How far one side of a conversation has read: up to and with `message`, which was sent at `sent_at`. */
export const ReadMark = z.object({
  sender: z.enum(['visitor', 'person']),
  message: roomId(),
  sent_at: datetime(),
});
export type ReadMark = z.infer<typeof ReadMark>;

export const Typing = z.object({ sender: z.enum(SIDES), nickname: z.string(), is_typing: z.boolean() });
export type Typing = z.infer<typeof Typing>;

/** Which member views a room, and whether it writes there: an answer or a note. */
export const Viewing = z.object({ member: AuthorThen, is_viewing: z.boolean(), is_typing: z.boolean() });
export type Viewing = z.infer<typeof Viewing>;

export const Presence = z.object({ sender: z.enum(SIDES), online: z.boolean() });
export type Presence = z.infer<typeof Presence>;

/** Whether a member has yet to read a conversation, which it has read or marked itself; no other is told of it. */
export const Marked = z.object({ member: z.uuid(), is_unread: z.boolean() });
export type Marked = z.infer<typeof Marked>;

/** `messages` is always empty; `changed` names the fields, where the event is a change. */
const RoomEvent = Room.extend({ changed: z.array(z.string()).optional() }).loose();
const LeadEvent = Lead.extend({ changed: z.array(z.string()).optional() }).loose();

/** Frames that carry an id: what `after` replays. */
const stored = <const T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.object({ type: z.literal(type), id: z.string(), room: roomId().optional(), data });

/** What a server sends. */
export const ServerFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    /** Send it as `after` when you come back without having got an event. */
    after: z.string(),
  }),
  z.object({ type: z.literal('resync') }),
  z.object({ type: z.literal('pong') }),
  stored('message.added', MessageAdded),
  stored('chat.added', RoomEvent),
  stored('room.updated', RoomEvent),
  stored('room.deleted', z.object({ uuid: z.uuid() }).loose()),
  stored('lead.added', LeadEvent),
  stored('lead.changed', LeadEvent),
  stored('lead.deleted', z.object({ uuid: z.uuid() }).loose()),
  stored('conversation.updated', ConversationUpdated.loose()),
  stored('conversation.marked', Marked),
  stored('note.added', NoteWritten.loose()),
  stored('note.changed', NoteWritten.loose()),
  stored('note.deleted', z.object({ uuid: z.uuid() }).loose()),
  stored('read', ReadMark),
  z.object({ type: z.literal('typing'), room: roomId(), data: Typing }),
  z.object({ type: z.literal('viewing'), room: roomId(), data: Viewing }),
  z.object({ type: z.literal('presence'), room: roomId().optional(), data: Presence }),
  /** `unread` is counted up to 100, which stands for "or more"; `marks` has one for each side that has read. */
  z.object({
    type: z.literal('unread'),
    data: z.array(
      z.object({ room: roomId(), unread: z.int().min(0).max(MAX_UNREAD), marks: z.array(ReadMark) }),
    ),
  }),
  z.object({ type: z.literal('counts'), data: ConversationCounts }),
  z.object({
    type: z.literal('error'),
    /** Whether the same frame may be taken in a moment; `of` is the type of the frame that was refused. */
    data: z.object({ of: z.string(), detail: z.string(), retry: z.boolean() }),
  }),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

/** The events that the channel carries with an id, beside which webhooks have one more. */
export const REALTIME_EVENTS = [
  'message.added',
  'chat.added',
  'room.updated',
  'room.deleted',
  'lead.added',
  'lead.changed',
  'lead.deleted',
  'conversation.updated',
  'conversation.marked',
  'note.added',
  'note.changed',
  'note.deleted',
  'read',
] as const;
export type RealtimeEvent = (typeof REALTIME_EVENTS)[number];
