import { Lead } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../database/document.ts';
import { defineModel } from '../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';

export interface StoredLead extends Omit<Stored<Lead>, 'widget' | 'conversation'>, EventHolder {
  account: string;
  /** The widget of its conversation; empty for one that came by the API. */
  widget: string;
  /** The conversation that it was left in. */
  room?: string;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

/** What a lead may hold (database/collection-data.ts). */
export const LEAD_SHAPES = {
  nickname: Lead.shape.nickname,
  email: Lead.shape.email,
  phone_number: Lead.shape.phone_number,
  device: Lead.shape.device,
  from_page_title: Lead.shape.from_page_title,
  referrer: Lead.shape.referrer,
};

export type LeadModel = Model<StoredLead>;

export const leadModel = defineModel<StoredLead>(
  'Lead',
  {
    ...storedFields(Lead, ['widget', 'conversation']),
    created_at: Date,
    account: String,
    widget: String,
    room: String,
    version: Number,
    ...outboxFields,
  },
  [
    [{ account: 1, created_at: -1, _id: -1 }],
    [{ widget: 1, created_at: -1, _id: -1 }],
    [{ room: 1, created_at: -1, _id: -1 }],
    outboxIndex,
  ],
);
