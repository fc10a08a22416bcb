import type { Model } from 'mongoose';
import { defineModel } from '../database/model.ts';

/** The keys of a process, by fingerprint; nothing in what an older version has written. */
export interface HeldKeys {
  /** SECRET_KEY, and SECRET_KEY_PREVIOUS where it is set. */
  keys?: string[];
  /** The one of them that seals. */
  sealed_by?: string;
}

/** A process that runs jobs, or a command. */
export interface StoredSender extends HeldKeys {
  _id: string;
  /** Counts up for as long as it lives. */
  beat: number;
  /** The words of a command, which sends nothing and seals by one key until it ends. */
  command?: string;
}

export type SenderModel = Model<StoredSender>;

export const senderModel = defineModel<StoredSender>(
  'WebhookSender',
  {
    _id: String,
    beat: Number,
    keys: { type: [String], default: undefined },
    sealed_by: String,
    command: String,
  },
  [],
);

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
