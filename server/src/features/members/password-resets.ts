import type { PasswordReset } from '@parlor/shared';
import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';
import type { ActionOfOne } from '../../events/audit.ts';
import { invalid, type ParlorError, throwIfAny } from '../../platform/errors.ts';
import { secretHash } from '../../platform/random-secret.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { chosenPasswordErrors } from '../accounts/passwords.ts';
import type { Credentials } from './credentials.ts';
import type { ActiveMember, Member } from './member.ts';
import { asActor } from './member-audit.ts';
import type { MemberStore } from './member-store.ts';

/** The lifetime of a link, from when it was last mailed. */
const LIFETIME_MS = 3_600_000;

/** The page of the console that a link leads to. */
export const RESET_PATH = '/console/reset';

/** What a link is good for. */
export interface StoredPasswordReset {
  /** SHA-256 of the secret in the link. */
  _id: string;
  account: string;
  member: string;
  /** The address that it was mailed to, folded. */
  email_key: string;
  /** What the member's `session_epoch` was then: the next password uses it up. One of an older version has none. */
  epoch?: number;
  expires_at: Date;
}

export type PasswordResetModel = Model<StoredPasswordReset>;

export const passwordResetModel = defineModel<StoredPasswordReset>(
  'PasswordReset',
  { _id: String, account: String, member: String, email_key: String, epoch: Number, expires_at: Date },
  [[{ account: 1 }], [{ member: 1 }], [{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);

interface Parts {
  resets: PasswordResetModel;
  store: Pick<MemberStore, 'active'>;
  credentials: Pick<Credentials, 'setPassword'>;
  secrets: Pick<Secrets, 'fingerprint'>;
}

/** New passwords for those who have forgotten theirs: by a link that is mailed to them (docs/contract.md#sessions). */
export class PasswordResets {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Makes a link for a member that goes to its present address.
   * @param mail unique to the mail that it goes out with: the same mail has the same link until there is another password, so
   *   that one that is sent again brings back none that was used
   * @returns its path, with the secret behind the number sign, so that it stands in no log and in no Referer
   */
  async issue(
    { _id: member, account, email_key, session_epoch: epoch = 0 }: ActiveMember,
    mail: string,
  ): Promise<string> {
    const { resets, secrets, store } = this.#parts;
    const secret = secrets.fingerprint('password-reset', `${mail} ${member} ${email_key} ${epoch}`);
    const expires_at = new Date(Date.now() + LIFETIME_MS);
    await resets.updateOne(
      { _id: secretHash(secret) },
      { $set: { account, member, email_key, epoch, expires_at } },
      { upsert: true },
    );
    // Whoever was removed meanwhile had its links deleted before this one was written.
    if (!(await store.active(account, member))) await this.deleteAllOf({ _id: member });
    return `${RESET_PATH}#token=${secret}`;
  }

  /** A member has been removed. */
  async deleteAllOf({ _id: member }: { _id: string }): Promise<void> {
    await this.#parts.resets.deleteMany({ member });
  }

  /**
   * Sets the password that somebody with a link has chosen, once; all sessions of the member end.
   * @throws ParlorError `invalid` for a link that is no good, and for a password that is none
   */
  async confirm({ token, password, password2 }: PasswordReset, action: ActionOfOne): Promise<void> {
    const { resets, store, credentials } = this.#parts;
    const good = { _id: secretHash(token), expires_at: { $gt: new Date() } };
    const found = await resets.findOne(good).lean<StoredPasswordReset>();
    const member = found && (await store.active(found.account, found.member))?.member;
    // The address is another one since, or the member is gone.
    if (!member || member.email_key !== found.email_key) throw noLink();
    throwIfAny(chosenPasswordErrors({ password, password2 }, member));
    // Used up by the same write that sets the password: what fails leaves it good.
    const isGood = ({ session_epoch = 0 }: Member): void => {
      if (found.epoch !== undefined && found.epoch !== session_epoch) throw noLink();
    };
    await credentials.setPassword(member, password, { ...action, actor: asActor(member) }, isGood);
    await this.deleteAllOf(member);
  }
}

const noLink = (): ParlorError => invalid({ token: ['This link is not good, has run out or was used.'] });
