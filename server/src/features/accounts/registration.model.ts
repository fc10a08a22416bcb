import type { Model } from 'mongoose';
import { duplicateFields } from '../../database/duplicate.ts';
import { hasCome } from '../../database/has-come.ts';
import { defineModel } from '../../database/model.ts';
import type { Duration } from '../../platform/duration.ts';

/**
 * What one may have at a time, until it expires: a used invitation, the right to make the first account, which nobody has any
 * more once an account was deleted, the lease under which an account's objects are counted.
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
 * @param longest how long one of this name is held at most (milliseconds), where it is void when it ends later than that:
 *   it is from before the clock was put back
 * @returns what gives it back before it expires; undefined when somebody else has it
 */
export const takeClaim = async (
  claims: RegistrationClaimModel,
  _id: string,
  expires_at: Date,
  longest?: Duration,
): Promise<(() => Promise<void>) | undefined> => {
  const now = new Date();
  try {
    await claims.updateOne(
      {
        _id,
        ...(longest === undefined ? { expires_at: { $lte: now } } : hasCome('expires_at', now, longest)),
      },
      { $set: { expires_at } },
      { upsert: true },
    );
  } catch (error) {
    if (!duplicateFields(error)) throw error;
    return undefined;
  }
  return givingBack(claims, _id, expires_at);
};

/**
 * @param from when it ends as yet: one of these
 * @returns what gives it back; undefined when it is gone, or somebody else's by now
 */
export const extendClaim = async (
  claims: RegistrationClaimModel,
  _id: string,
  from: readonly Date[],
  to: Date,
): Promise<(() => Promise<void>) | undefined> => {
  const { matchedCount } = await claims.updateOne(
    { _id, expires_at: { $in: [...from] } },
    { $set: { expires_at: to } },
  );
  return matchedCount === 0 ? undefined : givingBack(claims, _id, to);
};

/** What whoever makes the first account has meanwhile (docs/contract.md#registration). */
export const FIRST_ACCOUNT = 'first';

/** Later than any clock says: `expires_at` of what is never had again. */
const NEVER = new Date('9999-12-31T00:00:00.000Z');

/** Nobody makes the first account any more, also when none is left. */
export const closeFirst = async (claims: RegistrationClaimModel): Promise<void> => {
  await claims.updateOne({ _id: FIRST_ACCOUNT }, { $set: { expires_at: NEVER } }, { upsert: true });
};

const givingBack = (claims: RegistrationClaimModel, _id: string, expires_at: Date) => async () => {
  await claims.deleteOne({ _id, expires_at });
};
