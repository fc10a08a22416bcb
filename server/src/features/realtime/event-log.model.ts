import type { RealtimeEvent } from '@parlor/shared';
import { type Model, Schema } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/**
 * `typing`, `viewing` and `presence` are told once and never replayed; `control` is for the processes themselves; `void` fills
 * a place in the log that its writer never used, or whose event was erased.
 */
export type EntryName = RealtimeEvent | 'typing' | 'viewing' | 'presence' | 'control' | 'void';

/** A recent event at its place in the log that all server processes share. */
export interface EventLogEntry {
  /** The place: 1, 2, 3 and so on, without a gap in the end. */
  _id: number;
  /** The event's own id: the same event never stands in the log twice. */
  event: string;
  name: EntryName;
  account: string;
  /** The conversation that it belongs to. */
  room?: string;
  /** The widget of that; absent where it came by the API. */
  widget?: string | undefined;
  /** The lead by whose erasure it is emptied. */
  lead?: string;
  /** The note by whose deletion it is emptied. */
  note?: string;
  at: Date;
  data?: object;
  /** The connection that caused it, which is not told. */
  origin?: string;
}

/** They say nothing but uuids, and whoever was away when a room or lead was erased has to learn of it. */
export const OUTLAST_ERASURE: EntryName[] = ['room.deleted', 'lead.deleted'];

/** Leaves an entry nothing but its place: no other event ever gets it, and nobody waits for it. */
export const EMPTIED = {
  $set: { name: 'void', account: '' },
  $unset: { data: 1, room: 1, widget: 1, lead: 1, note: 1, origin: 1 },
} as const;

export const outlastsErasure = ({ name }: { name: string }): boolean =>
  (OUTLAST_ERASURE as string[]).includes(name);

/** The last place that was taken, and the log's name. */
export interface EventLogHead {
  _id: 'head';
  last: number;
  /** When it was taken. */
  at: Date;
  /** Tells this log from the one of another database, so that an id of that one is not mistaken for one of this. */
  epoch: string;
}

export type EventLogEntryModel = Model<EventLogEntry>;
export type EventLogHeadModel = Model<EventLogHead>;

/** Entries are kept longer than the hour that `after` reaches back, since clocks and TTL sweeps are not exact. */
const KEPT_FOR_S = 65 * 60;

export const eventLogEntryModel = defineModel<EventLogEntry>(
  'RealtimeEvent',
  {
    _id: Number,
    event: String,
    name: String,
    account: String,
    room: String,
    widget: String,
    lead: String,
    note: String,
    at: Date,
    data: { type: Schema.Types.Mixed, default: undefined },
    origin: String,
  },
  [
    [{ event: 1 }, { unique: true }],
    [{ account: 1, _id: 1 }],
    [{ room: 1, _id: 1 }, { sparse: true }],
    [{ lead: 1 }, { sparse: true }],
    [{ note: 1 }, { sparse: true }],
    [{ at: 1 }, { expireAfterSeconds: KEPT_FOR_S }],
  ],
);

export const eventLogHeadModel = defineModel<EventLogHead>(
  'RealtimeHead',
  { _id: String, last: Number, at: Date, epoch: String },
  [],
);
