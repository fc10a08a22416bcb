import type { Model } from 'mongoose';
import { defineModel } from '../database/model.ts';

/** A process that runs jobs. */
export interface StoredSender {
  _id: string;
  /** Counts up for as long as it lives. */
  beat: number;
}

export type SenderModel = Model<StoredSender>;

export const senderModel = defineModel<StoredSender>('WebhookSender', { _id: String, beat: Number }, []);

/** The lease on an origin (scheme, host, port): the sender that owns it sends everything that goes there. */
export interface StoredOrigin {
  _id: string;
  /** A sender's id; empty when nobody's. */
  owner: string;
  /** Whether it failed too often and is only probed. */
  paused: boolean;
  /** Queues that other processes have put something into. */
  woken: string[];
  woken_at?: Date;
}

export type OriginModel = Model<StoredOrigin>;

export const originModel = defineModel<StoredOrigin>(
  'WebhookOrigin',
  { _id: String, owner: String, paused: Boolean, woken: [String], woken_at: Date },
  [[{ owner: 1, woken_at: 1 }]],
);
