import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** What a mail is for. */
export type MailKind = 'digest' | 'confirmation' | 'invitation' | 'password-reset';

/** What a mail is about, fixed by its first attempt, so that each further one sends the same bytes. */
export interface Batch {
  /** Unique to this mail. */
  id: string;
  at: Date;
  /** What it tells of, by uuid, oldest first; nothing where its kind says all. */
  members: string[];
}

/** The next mail of a kind to an account or one of its members: one document, in which what is to be told is coalesced. */
export interface OutgoingMail {
  /** `<account> <kind>`, and the member where it goes to one. */
  _id: string;
  account: string;
  kind: MailKind;
  /** The uuid of whom it goes to; absent where that is the account's own address. */
  member?: string;
  /** How often it was asked for: nobody who has not seen the last request may take the mail for needless. */
  requests: number;
  /** When it may be tried, which is later while somebody tries it; absent when there is nothing to send. */
  due_at?: Date;
  /** Who tries it; nobody, while it waits. */
  claim?: string;
  /** Absent before the first attempt. */
  batch?: Batch;
  /** Attempts of this batch that failed, and why the last one did. */
  tries: number;
  error?: string;
  /** When the last mail of this kind went out or was given up. */
  last_at?: Date;
  /** Where there is a link in it: what that begins with. */
  base_url?: string;
  /** Of a link to a new password: what the member's `session_epoch` was when it was last asked for. Older versions write none. */
  epoch?: number;
}

export type OutgoingMailModel = Model<OutgoingMail>;

export const outgoingMailModel = defineModel<OutgoingMail>(
  'OutgoingMail',
  {
    _id: String,
    account: String,
    kind: String,
    member: String,
    requests: Number,
    due_at: Date,
    claim: String,
    batch: { type: { _id: false, id: String, at: Date, members: [String] }, default: undefined },
    tries: Number,
    error: String,
    last_at: Date,
    base_url: String,
    epoch: Number,
  },
  [[{ due_at: 1 }, { sparse: true }], [{ account: 1 }]],
);
