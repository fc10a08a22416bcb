import type { Model } from 'mongoose';
import { duplicateFields } from './duplicate.ts';

/**
 * Inserts a document, or finds it when it is there already: a retry after a crash comes with the same `_id` and
 * finds what was made.
 * @returns the document as stored, and whether this call made it.
 */
export const insertOnce = async <T extends { _id: string; account: string }>(
  model: Model<T>,
  document: T,
): Promise<{ stored: T; isNew: boolean }> => {
  try {
    await model.insertOne(document as never);
    return { stored: document, isNew: true };
  } catch (error) {
    // Whichever unique index the retry ran into first, the same `_id` says that it is the same object.
    if (!duplicateFields(error)) throw error;
    const stored = await model.findOne({ _id: document._id, account: document.account } as never).lean<T>();
    if (!stored) throw error;
    return { stored, isNew: false };
  }
};
