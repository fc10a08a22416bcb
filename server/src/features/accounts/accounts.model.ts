import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';
import { type MemberFields, memberFields } from './member-fields.ts';

/**
 * A customer of this server, who owns widgets and conversations. The document holds its founding member, too: whose
 * token the account's is, and who signs in by the account's username.
 */
export interface Account extends MemberFields, EventHolder {
  _id: string;
  /** The founding member's uuid, where that is not the account's own: the one before it has left. */
  founder?: string;
  /** Counts how often it was changed who owns the account. */
  owner_turn?: number;
  /** null: nobody has confirmed it, and no mail goes there. Accounts of before there was this field count as confirmed. */
  email_confirmed_at?: Date | null;
  /** Whether each member needs a second factor. */
  requires_totp?: boolean;
  /** The account of a trial: it is nobody's, so that registration stays open. */
  is_demo?: boolean;
  /** Since when it is being deleted: nothing of it can be used any more. */
  deleted_at?: Date;
  /** Since when nothing else is left of it. */
  emptied_at?: Date;
}

export type AccountModel = Model<Account>;

export const accountModel = defineModel<Account>(
  'Account',
  {
    _id: String,
    ...memberFields,
    founder: String,
    owner_turn: Number,
    email_confirmed_at: Date,
    requires_totp: Boolean,
    is_demo: Boolean,
    deleted_at: Date,
    emptied_at: Date,
    ...outboxFields,
  },
  [
    [{ username_key: 1 }, { unique: true }],
    [{ email_key: 1 }, { unique: true }],
    [{ token_fingerprint: 1 }, { unique: true }],
    [{ deleted_at: 1 }, { sparse: true }],
    outboxIndex,
  ],
);
