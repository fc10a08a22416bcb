import { Credentials, MAX_MEMBER_NAME, Registration, text } from '@parlor/shared';
import { listOf, made } from '../../database/stored-shapes.ts';
import { SECRET, SECRET_HASH } from '../../platform/random-secret.ts';
import { PASSWORD_HASH } from './password-hash.ts';

/** A member's token (token.ts). */
export const TOKEN = /^[0-9a-f]{40}$/;

/** The secret of an authenticator app: 20 bytes in base32 (RFC 4648, 6). */
export const TOTP_SECRET = /^[A-Z2-7]{32}$/;

/** How many recovery codes a member gets. */
export const RECOVERY_CODES = 10;

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

/** What they have to be, as they are read in (database/collection-data.ts). */
export const memberShapes = {
  username: Credentials.shape.username,
  email: Registration.shape.email,
  name: text({ max: MAX_MEMBER_NAME }),
  password: PASSWORD_HASH,
  avatar: made(SECRET),
  token_sealed: made(TOKEN),
  totp_sealed: made(TOTP_SECRET),
  totp_pending_sealed: made(TOTP_SECRET),
  recovery_hashes: listOf(made(SECRET_HASH), RECOVERY_CODES),
};
