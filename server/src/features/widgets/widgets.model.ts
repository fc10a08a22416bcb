import { Widget } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../database/document.ts';
import { defineModel } from '../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';

/** What the token of a widget looks like. */
export const WIDGET_TOKEN = /^[\w-]{1,100}$/;

export interface StoredWidget extends Stored<Widget>, EventHolder {
  account: string;
  created_at: Date;
  /** Whether empty texts stand for Parlor's own; absent where an older server has stored them in English. */
  is_localized?: boolean;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

export type WidgetModel = Model<StoredWidget>;

export const widgetModel = defineModel<StoredWidget>(
  'Widget',
  {
    ...storedFields(Widget),
    account: String,
    created_at: Date,
    is_localized: Boolean,
    version: Number,
    ...outboxFields,
  },
  [[{ token: 1 }, { unique: true }], [{ account: 1, created_at: -1, _id: -1 }], outboxIndex],
);
