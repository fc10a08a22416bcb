import type { Model } from 'mongoose';
import { batched } from '../platform/batch.ts';

/** The fields that are left out (0), or those that are read (1) beside the id and what is looked up by. */
type Fields<T> = { readonly [K in keyof T]?: 0 } | { readonly [K in keyof T]?: 1 };

/** What is read of a document. */
export type Read<T, F> = 1 extends F[keyof F]
  ? Pick<T, (keyof F | '_id') & keyof T>
  : Omit<T, keyof F & keyof T>;

/**
 * Finds documents by a field that is unique, those that are asked for at the same time with one query. Nothing is
 * kept: what is found was read after it was asked for. Who asks at the same time for the same document gets the
 * same object, so it is not to be changed.
 * @param fields what is read: up to 1 000 documents are in memory at once, so no events that wait, and of what may have many KiB
 *   only what whoever asks needs
 */
export const findBy = <T extends { _id: string }, const F extends Fields<T>>(
  model: Model<T>,
  field: keyof T & string,
  fields: F,
): ((value: string) => Promise<Read<T, F> | undefined>) => {
  const isSome = Object.values(fields).includes(1);
  const projection = isSome ? { ...fields, [field]: 1 } : fields;
  return batched(async (values: string[]) => {
    const wanted = [...new Set(values)];
    const filter = { [field]: wanted.length === 1 ? wanted[0] : { $in: wanted } };
    const options = { batchSize: wanted.length + 1, projection };
    const documents = (await model.collection.find(filter as never, options).toArray()) as unknown as T[];
    const found = new Map(documents.map((document) => [document[field] as string, document]));
    return values.map((value) => found.get(value) as Read<T, F> | undefined);
  });
};
