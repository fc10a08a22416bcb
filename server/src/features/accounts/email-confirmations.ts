import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';
import { type Action, auditEvent } from '../../events/audit.ts';
import type { OutboxEvent } from '../../events/events.ts';
import type { Relay } from '../../events/relay.ts';
import { secretHash } from '../../platform/random-secret.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Account, AccountModel } from './accounts.model.ts';
import { asAudited } from './accounts.service.ts';

/** The lifetime of a link, from when it was last mailed. */
const LIFETIME_MS = 3 * 86_400_000;

/** Where the link leads that a confirmation mail holds. */
export const CONFIRM_PATH = '/confirm-email';

/** Mails a link to the account's address where that is not confirmed; `baseUrl` is what the link begins with. */
export interface ConfirmationRequests {
  request(account: Account, baseUrl: string): Promise<void>;
}

/** What a link confirms. */
export interface StoredConfirmation {
  /** SHA-256 of the secret in the link. */
  _id: string;
  account: string;
  /** The address that it was mailed to, folded. */
  email_key: string;
  expires_at: Date;
}

export type EmailConfirmationModel = Model<StoredConfirmation>;

export const emailConfirmationModel = defineModel<StoredConfirmation>(
  'EmailConfirmation',
  { _id: String, account: String, email_key: String, expires_at: Date },
  [[{ account: 1 }], [{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);

interface Models {
  accounts: AccountModel;
  emailConfirmations: EmailConfirmationModel;
}

/** Whether an account's address is its owner's: whoever opens the link that was mailed there confirms it. */
export class EmailConfirmations {
  readonly #models: Models;
  readonly #secrets: Pick<Secrets, 'fingerprint'>;
  readonly #relay: Pick<Relay, 'announce'>;
  readonly #listeners: ((account: string) => Promise<void>)[] = [];

  constructor(models: Models, secrets: Pick<Secrets, 'fingerprint'>, relay: Pick<Relay, 'announce'>) {
    this.#models = models;
    this.#secrets = secrets;
    this.#relay = relay;
  }

  /** Calls `listener` after each confirmation, and again after a crash in between. */
  onConfirmed(listener: (account: string) => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /**
   * Makes a link good for the account's present address.
   * @param mail unique to the mail that it goes out with: the same mail and address have the same link
   * @returns its path and query
   */
  async issue({ _id: account, email_key }: Account, mail: string): Promise<string> {
    const secret = this.#secrets.fingerprint('email-confirmation', `${mail} ${email_key}`);
    const expires_at = new Date(Date.now() + LIFETIME_MS);
    await this.#models.emailConfirmations.updateOne(
      { _id: secretHash(secret) },
      { $set: { account, email_key, expires_at } },
      { upsert: true },
    );
    return `${CONFIRM_PATH}?token=${secret}`;
  }

  /** Whether a link's secret confirms something. */
  async isGood(secret: string): Promise<boolean> {
    return (await this.#find(secret)) !== undefined;
  }

  /** Confirms the address that the link was mailed to, once. @returns false when the link is no good */
  async confirm(secret: string): Promise<boolean> {
    const found = await this.#find(secret);
    if (!found) return false;
    await this.#confirm({ _id: found.account, email_key: found.email_key });
    return true;
  }

  /** Confirms an account's address without a link, as the operator may. */
  async confirmAccount(account: Account, action?: Action): Promise<void> {
    const { _id, email_key } = account;
    const changes = [{ field: 'email_confirmed_at', from: null, to: null }];
    const events = action ? [auditEvent(action, _id, asAudited(account), changes)] : [];
    await this.#confirm({ _id, email_key }, events);
  }

  /** Forgets the addresses of an account that were another owner's; links to these confirm nothing any more. */
  async forgetOthers(account: string): Promise<void> {
    const { accounts, emailConfirmations } = this.#models;
    const now = await accounts.findOne({ _id: account }, { email_key: 1 }).lean();
    await emailConfirmations.deleteMany({ account, ...(now && { email_key: { $ne: now.email_key } }) });
  }

  async #find(secret: string): Promise<StoredConfirmation | undefined> {
    if (!/^[0-9a-f]{64}$/.test(secret)) return undefined;
    const found = await this.#models.emailConfirmations
      .findOne({ _id: secretHash(secret), expires_at: { $gt: new Date() } })
      .lean<StoredConfirmation>();
    if (!found) return undefined;
    // The address has been changed since, or the account is gone.
    const { account: _id, email_key } = found;
    return (await this.#models.accounts.exists({ _id, email_key })) ? found : undefined;
  }

  async #confirm(address: Pick<Account, '_id' | 'email_key'>, events: OutboxEvent[] = []): Promise<void> {
    await this.#models.accounts.updateOne(address, {
      $set: { email_confirmed_at: new Date() },
      ...(events.length > 0 && { $push: { events: { $each: events } } }),
    } as never);
    this.#relay.announce(this.#models.accounts, { _id: address._id, events } as Account);
    for (const listener of this.#listeners) await listener(address._id);
    // Last, so that after a crash the link does it again.
    await this.#models.emailConfirmations.deleteMany({ account: address._id });
  }
}
