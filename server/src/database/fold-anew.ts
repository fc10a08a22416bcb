import type { Model } from 'mongoose';
import { fold } from '../platform/folding.ts';
import { duplicateFields } from './duplicate.ts';

interface Folded {
  _id: string;
  account: string;
  /** Unique in an account. */
  folded: string;
}

/**
 * Folds anew what an account has, where an earlier version, or a process of one beside this, has folded it otherwise: whoever
 * stores another one after this runs into what is alike. Of two that are alike only by now one stays as it is stored, until
 * the other one is gone.
 * @param field the text that `folded` is made of
 */
export const foldAnew = async <T extends Folded>(
  model: Model<T>,
  account: string,
  field: keyof T & string,
): Promise<void> => {
  // Past mongoose, as most are folded as they should be.
  const collection = (model as unknown as Model<Folded>).collection;
  const found = await collection.find({ account }, { projection: { [field]: 1, folded: 1 } }).toArray();
  for (const { _id, folded, [field]: text } of found) {
    // One that is damaged keeps no other back.
    const now = typeof text === 'string' ? fold(text) : folded;
    if (now === folded) continue;
    // Unless it has another text meanwhile.
    await collection.updateOne({ _id, folded, [field]: text }, { $set: { folded: now } }).catch((error) => {
      if (!duplicateFields(error)) throw error;
    });
  }
};
