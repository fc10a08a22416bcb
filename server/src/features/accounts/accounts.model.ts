import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** An owner of widgets and conversations; whoever holds its token. */
export interface Account {
  _id: string;
  username: string;
  email: string;
  /** Folded forms: sign-in and uniqueness go without regard to case (docs/contract.md#accounts). */
  username_key: string;
  email_key: string;
  /** argon2id, in the PHC string format. */
  password: string;
  /** The API token, found by its keyed hash and kept encrypted, since the same one must be shown again. */
  token_fingerprint: string;
  token_sealed: string;
  created_at: Date;
  /** null: nobody has confirmed it, and no mail goes there. Accounts of before there was this field count as confirmed. */
  email_confirmed_at?: Date | null;
  /** The account of a trial: it is nobody's, so that registration stays open. */
  is_demo?: boolean;
}

export type AccountModel = Model<Account>;

export const accountModel = defineModel<Account>(
  'Account',
  {
    _id: String,
    username: String,
    email: String,
    username_key: String,
    email_key: String,
    password: String,
    token_fingerprint: String,
    token_sealed: String,
    created_at: Date,
    email_confirmed_at: Date,
    is_demo: Boolean,
  },
  [
    [{ username_key: 1 }, { unique: true }],
    [{ email_key: 1 }, { unique: true }],
    [{ token_fingerprint: 1 }, { unique: true }],
  ],
);
