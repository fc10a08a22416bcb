import { Lead, MAX_PAGE_TITLE, MAX_PAGE_URL, NewVisitorSession, Room, text } from '@parlor/shared';
import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';
import { open } from '../../database/stored-shapes.ts';

/** A visitor's session: what its browser's token stands for (docs/contract.md#visitors). */
export interface VisitorSession {
  _id: string;
  account: string;
  widget: string;
  /** The room and label that are reserved for it, and exist from the first message or lead on. */
  room: string;
  label: string;
  /** Where the visitor opened the chat. */
  page: { url: string; title: string; referrer: string };
  locale: string;
  /** The browser, as a lead shows it. */
  device: string;
  created_at: Date;
  /** Kept as long as its newest token lives. */
  expires_at: Date;
  /** When the visitor asked to be erased; from then on the session is dead. */
  closed_at?: Date;
}

/** What a session may hold (database/collection-data.ts). */
export const SESSION_SHAPES = {
  label: Room.shape.label,
  page: open({
    url: text({ max: MAX_PAGE_URL }),
    title: text({ max: MAX_PAGE_TITLE }),
    referrer: text({ max: MAX_PAGE_URL }),
  }),
  locale: NewVisitorSession.shape.locale,
  device: Lead.shape.device,
};

export type VisitorSessionModel = Model<VisitorSession>;

export const visitorSessionModel = defineModel<VisitorSession>(
  'VisitorSession',
  {
    _id: String,
    account: String,
    widget: String,
    room: String,
    label: String,
    page: { url: String, title: String, referrer: String },
    locale: String,
    device: String,
    created_at: Date,
    expires_at: Date,
    closed_at: Date,
  },
  [
    [{ room: 1 }, { unique: true }],
    [{ widget: 1 }],
    [{ account: 1 }],
    [{ closed_at: 1 }, { sparse: true }],
    [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
  ],
);
