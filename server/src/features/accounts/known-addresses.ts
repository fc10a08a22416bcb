import type { Model } from 'mongoose';
import { duplicateFields } from '../../database/duplicate.ts';
import { defineModel } from '../../database/model.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** An address expires this long after the last sign-in from it. */
const LIFETIME_MS = 90 * 86_400_000;

/** An address that somebody has signed in from. */
export interface KnownAddress {
  /** A keyed hash of username and address: neither stands in the database. */
  _id: string;
  account: string;
  expires_at: Date;
}

export type KnownAddressModel = Model<KnownAddress>;

export const knownAddressModel = defineModel<KnownAddress>(
  'KnownAddress',
  { _id: String, account: String, expires_at: Date },
  [[{ account: 1 }], [{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);

/** Where people sign in from: what others guess at from elsewhere does not lock them out there. */
export class KnownAddresses {
  readonly #model: KnownAddressModel;
  readonly #secrets: Pick<Secrets, 'fingerprint' | 'fingerprints'>;

  constructor(model: KnownAddressModel, secrets: Pick<Secrets, 'fingerprint' | 'fingerprints'>) {
    this.#model = model;
    this.#secrets = secrets;
  }

  async has(username: string, address: string): Promise<boolean> {
    const ids = this.#secrets.fingerprints('known-address', `${username} ${address}`);
    return (await this.#model.exists({ _id: { $in: ids } })) !== null;
  }

  async remember(account: string, username: string, address: string): Promise<void> {
    const _id = this.#secrets.fingerprint('known-address', `${username} ${address}`);
    const expires_at = new Date(Date.now() + LIFETIME_MS);
    await this.#model
      .updateOne({ _id }, { $set: { account, expires_at } }, { upsert: true })
      .catch((error) => {
        // Another sign-in at the same time has just written it.
        if (!duplicateFields(error)) throw error;
      });
  }
}
