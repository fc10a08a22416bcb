import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** A keyword notification that is to be mailed, and then the mark that it has been. */
export interface StoredMail {
  /** The notification's uuid: it is mailed once, however often its event comes. */
  _id: string;
  account: string;
  state: 'pending' | 'sent' | 'failed';
  created_at: Date;
  /** Why it failed. */
  error?: string;
  /** Nobody remembers it then; what is still pending, for want of a confirmed address, is not mailed any more. */
  expires_at?: Date;
  /** Only of an older version, which mailed each one for itself. */
  due_at?: Date;
  claim?: string;
  tries?: number;
}

export type MailModel = Model<StoredMail>;

export const mailModel = defineModel<StoredMail>(
  'Mail',
  {
    _id: String,
    account: String,
    state: String,
    created_at: Date,
    error: String,
    expires_at: Date,
    due_at: Date,
    claim: String,
    tries: Number,
  },
  [
    [{ due_at: 1 }, { sparse: true }],
    [{ account: 1, state: 1, created_at: 1 }],
    [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
  ],
);
