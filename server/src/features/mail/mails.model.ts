import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** A keyword notification on its way to its account's address, and then the mark that it has been mailed. */
export interface StoredMail {
  /** The notification's uuid: one mail for each, however often its event comes. */
  _id: string;
  account: string;
  state: 'pending' | 'sent' | 'failed';
  created_at: Date;
  tries: number;
  /** Why the last attempt failed. */
  error?: string;
  /** Only while it is pending: when it may be tried, which is later while somebody tries it. */
  due_at?: Date;
  /** Who tries it; nobody, while it waits for its next attempt. */
  claim?: string;
  /** Only when it is not pending any more: nobody remembers it then. */
  expires_at?: Date;
}

export type MailModel = Model<StoredMail>;

export const mailModel = defineModel<StoredMail>(
  'Mail',
  {
    _id: String,
    account: String,
    state: String,
    created_at: Date,
    tries: Number,
    error: String,
    due_at: Date,
    claim: String,
    expires_at: Date,
  },
  [[{ due_at: 1 }, { sparse: true }], [{ account: 1 }], [{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);
