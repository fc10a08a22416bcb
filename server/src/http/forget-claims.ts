import type { IdempotencyModel } from './idempotency.model.ts';

/** An object that is deleted, and by what else its words are erased, such as its conversation. */
interface Deleted {
  object: string;
  subject: string;
}

/**
 * Forgets the claim under which a deleted object was made: its response holds the words of that. Whoever repeats the request
 * makes it anew (docs/contract.md#idempotency-keys). One whose request is under way gets no response to keep.
 */
export const forgetClaims = async (claims: IdempotencyModel, { object, subject }: Deleted): Promise<void> => {
  await claims.deleteMany({ object, subject: { $in: [object, subject] } });
};
