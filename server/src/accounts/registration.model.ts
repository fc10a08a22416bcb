import type { Model } from 'mongoose';
import { defineModel } from '../database/model.ts';

/** What may be used once: an invitation, or the right to make the first account while somebody makes it. */
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
