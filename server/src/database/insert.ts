import type { Model } from 'mongoose';
import { batched } from '../platform/batch.ts';
import { duplicateFields } from './duplicate.ts';
import { refusedOf } from './refused.ts';

type Insert = (document: object) => Promise<void>;

const inserters = new WeakMap<object, Insert>();

/** Inserts documents that come at the same time with one command; each fails for itself. */
const inserterOf = ({ collection }: Pick<Model<unknown>, 'collection'>): Insert => {
  const known = inserters.get(collection);
  if (known) return known;
  // The documents' types have been checked: casting them again would be most of what the command costs.
  const alone: Insert = async (document) => {
    await collection.insertOne(document, { ignoreUndefined: true });
  };
  const insert = batched<object, void>(async (documents) => {
    if (documents.length === 1) return documents.map(alone);
    try {
      await collection.insertMany(documents, { ordered: false, ignoreUndefined: true });
      return [];
    } catch (error) {
      // What was refused tells the reason only when it is asked for alone.
      const refused = new Set(refusedOf(error).map(({ index }) => index));
      return documents.map((document, index) => (refused.has(index) ? alone(document) : undefined));
    }
  });
  inserters.set(collection, insert);
  return insert;
};

/**
 * Inserts a document, or finds it when it is there already: a retry after a crash comes with the same `_id` and
 * finds what was made.
 * @returns the document as stored, and whether this call made it.
 */
export const insertOnce = async <T extends { _id: string; account: string }>(
  model: Model<T>,
  document: T,
): Promise<{ stored: T; isNew: boolean }> => {
  for (let isAgain = false; ; isAgain = true) {
    try {
      await inserterOf(model as never)(document);
      return { stored: document, isNew: true };
    } catch (error) {
      // Whichever unique index the retry ran into first, the same `_id` says that it is the same object.
      if (!duplicateFields(error)) throw error;
      const stored = await model.findOne({ _id: document._id, account: document.account } as never).lean<T>();
      if (stored) return { stored, isNew: false };
      // What stood in its place may have been deleted in between.
      if (isAgain) throw error;
    }
  }
};

/** Inserts those documents that are not there yet, with one command. */
export const insertMissing = async <T>(model: Model<T>, documents: readonly T[]): Promise<void> => {
  try {
    await model.bulkWrite(documents.map((document) => ({ insertOne: { document } })) as never, {
      ordered: false,
    });
  } catch (error) {
    if (!refusedOf(error).every((one) => duplicateFields(one))) throw error;
  }
};
