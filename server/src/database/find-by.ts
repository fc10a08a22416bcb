import type { Model } from 'mongoose';
import { batched } from '../platform/batch.ts';

/**
 * Finds documents by a field that is unique, those that are asked for at the same time with one query. Nothing is
 * kept: what is found was read after it was asked for. Who asks at the same time for the same document gets the
 * same object, so it is not to be changed.
 */
export const findBy = <T extends object>(
  model: Pick<Model<unknown>, 'collection'>,
  field: keyof T & string,
): ((value: string) => Promise<T | undefined>) =>
  batched(async (values: string[]) => {
    const wanted = [...new Set(values)];
    const filter = { [field]: wanted.length === 1 ? wanted[0] : { $in: wanted } };
    const options = { batchSize: wanted.length + 1 };
    const documents = (await model.collection.find(filter, options).toArray()) as unknown as T[];
    const found = new Map(documents.map((document) => [document[field] as string, document]));
    return values.map((value) => found.get(value));
  });
