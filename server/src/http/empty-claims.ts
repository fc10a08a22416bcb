import type { IdempotencyModel } from './idempotency.model.ts';

/** An object that is deleted, and by what else its words are erased, such as its conversation. */
interface Deleted {
  object: string;
  subject: string;
}

/**
 * Empties the claim under which a deleted object was made: its response holds the words of that. Whoever repeats the request
 * is told that it is gone (docs/contract.md#idempotency-keys), and one whose request is under way gets no response to keep.
 */
export const emptyClaims = async (claims: IdempotencyModel, { object, subject }: Deleted): Promise<void> => {
  const made = { object, subject: { $in: [object, subject] } };
  await claims.updateMany(made, { $set: { is_gone: true }, $unset: { answer: 1 } });
};
