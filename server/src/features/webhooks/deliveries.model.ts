import type { DeliveryState, EventName, Webhook } from '@parlor/shared';
import { type Model, Schema } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** One request to a target and what came of it. */
export interface StoredAttempt {
  at: Date;
  status: number | null;
  duration_ms: number;
  error: string | null;
  response: string;
}

/** An event on its way to one webhook, and then its entry in the log. */
export interface StoredDelivery {
  _id: string;
  account: string;
  /** The webhook-id header: derived from the event and the webhook, the same in a redelivery. */
  event_id: string;
  event: EventName;
  /** The webhook's uuid, and the webhook as it stood when the body was made. */
  webhook: string;
  subscription: Webhook;
  /** The exact text that is sent and signed, the same in every attempt. */
  body: string;
  /** By what its words are erased: the lead that it tells of, else the conversation. */
  subject?: string;
  /**
   * They have been erased, and it is pending: it is redacted once it is decided, or then at the latest. Until then only what
   * sends it reads them.
   */
  erase_by?: Date;
  state: DeliveryState;
  created_at: Date;
  /** When what it tells of happened; absent in those of an older version. */
  event_at?: Date;
  tries: number;
  attempts: StoredAttempt[];
  /**
   * Only while it is pending, so that the sparse index holds what waits and nothing else: the webhook in
   * whose queue it stands, when it is due, and its place among those that are due at once.
   */
  queue?: string;
  due_at?: Date;
  sequence?: string;
  /** Only when it is not pending any more: the log forgets it then. */
  expires_at?: Date;
}

export type DeliveryModel = Model<StoredDelivery>;

/** How long the log keeps a delivery once it is decided (docs/contract.md#delivery). */
export const LOG_KEPT_FOR_MS = 30 * 86_400_000;

/** Whether the words of a delivery have been erased, of which some may still be sent. */
export const isErased = ({ body, erase_by }: Partial<Pick<StoredDelivery, 'body' | 'erase_by'>>): boolean =>
  body === '' || erase_by !== undefined;

/** The same as a filter, and its opposite. Once erased, a row never matches the latter again. */
export const ERASED = { $or: [{ body: '' }, { erase_by: { $exists: true } }] };
export const NOT_ERASED = { body: { $ne: '' }, erase_by: { $exists: false } };

type Final = Exclude<DeliveryState, 'pending'>;

/** What makes a delivery final: out of the queue, and in the log for 30 days. */
export const settled = (state: Final, now = new Date()) => ({
  $set: { state, expires_at: new Date(now.getTime() + LOG_KEPT_FOR_MS) },
  $unset: { queue: 1 as const, due_at: 1 as const, sequence: 1 as const },
});

/** The same of one whose words have been erased: nothing sends them any more. */
export const settledErased = (state: Final, now = new Date()) => {
  const { $set, $unset } = settled(state, now);
  return { $set: { ...$set, body: '' }, $unset: { ...$unset, erase_by: 1 as const } };
};

const attemptSchema = new Schema<StoredAttempt>(
  { at: Date, status: Number, duration_ms: Number, error: String, response: String },
  { _id: false, id: false },
);

export const deliveryModel = defineModel<StoredDelivery>(
  'Delivery',
  {
    _id: String,
    account: String,
    event_id: String,
    event: String,
    webhook: String,
    subscription: Schema.Types.Mixed,
    body: String,
    subject: String,
    erase_by: Date,
    state: String,
    created_at: Date,
    event_at: Date,
    tries: Number,
    attempts: [attemptSchema],
    queue: String,
    due_at: Date,
    sequence: String,
    expires_at: Date,
  },
  [
    [{ queue: 1, due_at: 1, sequence: 1 }, { sparse: true }],
    [{ account: 1, created_at: -1, _id: -1 }],
    [{ account: 1, webhook: 1, created_at: -1, _id: -1 }],
    [{ account: 1, state: 1, created_at: -1, _id: -1 }],
    [{ account: 1, event: 1, created_at: -1, _id: -1 }],
    [{ account: 1, webhook: 1, state: 1, created_at: -1, _id: -1 }],
    [{ subject: 1 }, { sparse: true }],
    [{ erase_by: 1 }, { sparse: true }],
    [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
  ],
);
