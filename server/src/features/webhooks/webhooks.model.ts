import { createHash } from 'node:crypto';
import { type EventName, Webhook } from '@parlor/shared';
import type { Model } from 'mongoose';
import { type Stored, storedFields } from '../../database/document.ts';
import { defineModel } from '../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';

/** A webhook of one address to one event. */
export interface StoredWebhook extends Stored<Webhook>, EventHolder {
  account: string;
  /** A hash of the target, by which it is unique: a target may be longer than an index takes. */
  target_key: string;
  created_at: Date;
  /** Since when it listens to its event; earlier events are not its own. */
  since: Date;
  /** The events that it has heard before: what was made of them may wait, or be sent once more. */
  heard_before?: EventName[];
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
  /** The secret that deliveries are signed with, encrypted. */
  secret_sealed: string;
  /** The secrets that rotations replaced, each with its end, encrypted together (previous-secrets.ts). */
  previous_sealed?: string;
  /** When the last of them ends. */
  previous_expires_at?: Date;
  /** Since when every attempt failed, when the last one did, and how many those were; absent after a success. */
  failing_since?: Date;
  failed_at?: Date;
  failed_attempts?: number;
}

/** Equal for equal targets only. */
export const targetKey = (target: string): string => createHash('sha256').update(target).digest('base64url');

export type WebhookModel = Model<StoredWebhook>;

export const webhookModel = defineModel<StoredWebhook>(
  'Webhook',
  {
    ...storedFields(Webhook),
    account: String,
    target_key: String,
    created_at: Date,
    since: Date,
    heard_before: { type: [String], default: undefined },
    version: Number,
    secret_sealed: String,
    previous_sealed: String,
    previous_expires_at: Date,
    failing_since: Date,
    failed_at: Date,
    failed_attempts: Number,
    ...outboxFields,
  },
  [
    [{ account: 1, event: 1, target_key: 1 }, { unique: true }],
    [{ account: 1, created_at: -1, _id: -1 }],
    outboxIndex,
  ],
);
