import type { Model } from 'mongoose';
import { duplicateFields } from '../../database/duplicate.ts';
import { defineModel } from '../../database/model.ts';

/**
 * What one may have at a time, until it expires: a used invitation, the right to make the first account, the lease
 * under which an account's objects are counted.
 */
export interface RegistrationClaim {
  _id: string;
  expires_at: Date;
}

export type RegistrationClaimModel = Model<RegistrationClaim>;

export const registrationClaimModel = defineModel<RegistrationClaim>(
  'RegistrationClaim',
  { _id: String, expires_at: Date },
  [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);

/**
 * Of several at once the database lets one have it.
 * @returns what gives it back before it expires; undefined when somebody else has it
 */
export const takeClaim = async (
  claims: RegistrationClaimModel,
  _id: string,
  expires_at: Date,
): Promise<(() => Promise<void>) | undefined> => {
  try {
    await claims.updateOne(
      { _id, expires_at: { $lte: new Date() } },
      { $set: { expires_at } },
      { upsert: true },
    );
  } catch (error) {
    if (!duplicateFields(error)) throw error;
    return undefined;
  }
  return async () => {
    await claims.deleteOne({ _id, expires_at });
  };
};
