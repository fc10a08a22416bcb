import { Credentials, MAX_MEMBER_NAME, Registration, text } from '@parlor/shared';
import { identifier, listOf } from '../../database/stored-shapes.ts';

/** What signs a member in, and what others see of it: the fields that an account has of its owner, and a member of itself. */
export interface MemberFields {
  username: string;
  email: string;
  /** Folded forms: sign-in and uniqueness go without regard to case (docs/contract.md#accounts). */
  username_key: string;
  email_key: string;
  /** argon2id, in the PHC string format; who signs in at a provider only has none. */
  password?: string;
  /** Counts the passwords: sessions that began under another one have ended, but for one. */
  session_epoch?: number;
  /** The uuid of the session that chose the present password, and goes on. */
  kept_session?: string | undefined;
  /** The API token, found by its keyed hash and kept encrypted, since the same one must be shown again. */
  token_fingerprint: string;
  token_sealed: string;
  created_at: Date;
  /** The name that others see; the username where there is none. */
  name?: string;
  /** The key of its picture. */
  avatar?: string | undefined;
  is_away?: boolean;
  /** When it was last here, to the minute. */
  seen_at?: Date;
  /** The secret of its authenticator app (RFC 6238), once a code of it was shown; before that the one to be confirmed. */
  totp_sealed?: string | undefined;
  totp_pending_sealed?: string | undefined;
  /** When the one to be confirmed was made. */
  totp_pending_at?: Date | undefined;
  /** The time step of the last code that was taken: no code is taken twice. */
  totp_step?: number;
  /** SHA-256 of the recovery codes that are left. */
  recovery_hashes?: string[] | undefined;
  /** Counts the changes of what a member's route shows. */
  version?: number;
}

/** How a `MemberFields` is stored, for the schemas of both. */
export const memberFields = {
  username: String,
  email: String,
  username_key: String,
  email_key: String,
  password: String,
  session_epoch: Number,
  kept_session: String,
  token_fingerprint: String,
  token_sealed: String,
  created_at: Date,
  name: String,
  avatar: String,
  is_away: Boolean,
  seen_at: Date,
  totp_sealed: String,
  totp_pending_sealed: String,
  totp_pending_at: Date,
  totp_step: Number,
  recovery_hashes: { type: [String], default: undefined },
  version: Number,
} as const;

/** A password's hash in the PHC string format, in characters. */
const MAX_HASH = 300;

/** What they have to be, as they are read in (database/collection-data.ts). */
export const memberShapes = {
  username: Credentials.shape.username,
  email: Registration.shape.email,
  name: text({ max: MAX_MEMBER_NAME }),
  password: text({ max: MAX_HASH }),
  token_sealed: identifier(),
  totp_sealed: identifier(),
  totp_pending_sealed: identifier(),
  recovery_hashes: listOf(identifier()),
};
