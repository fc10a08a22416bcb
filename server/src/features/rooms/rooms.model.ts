import { Room } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../database/document.ts';
import { defineModel } from '../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';
import { BOT_STATE, botFields, botIndexes, type WithBot } from './bot-state.ts';

export interface StoredRoom extends Stored<Omit<Room, 'messages'>>, EventHolder, WithBot {
  account: string;
  /** The widget that its visitor came through, else empty; absent until access/room-widgets.ts has found it. */
  widget?: string;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

/** What a room's bot keeps there has up to 768 KiB, which nobody else needs; waiting events are the relay's. */
export const WITHOUT_BOT = { bot: 0, events: 0 } as const;

/** A room as all see it but its bot. */
export type PlainRoom = Omit<StoredRoom, keyof typeof WITHOUT_BOT>;

/** What a room may hold (database/collection-data.ts). */
export const ROOM_SHAPES = {
  label: Room.shape.label,
  name: Room.shape.name,
  rating: Room.shape.rating,
  bot: BOT_STATE,
};

export type RoomModel = Model<StoredRoom>;

export const roomModel = defineModel<StoredRoom>(
  'Room',
  {
    ...storedFields(Room, ['messages']),
    account: String,
    widget: String,
    version: Number,
    ...botFields,
    ...outboxFields,
  },
  [
    [{ account: 1, label: 1 }, { unique: true }],
    [{ account: 1, created_at: -1, _id: -1 }],
    [{ widget: 1, created_at: -1, _id: -1 }],
    ...botIndexes,
    outboxIndex,
  ],
);
