import type { Model } from 'mongoose';
import { notFound } from '../platform/errors.ts';
import type { EventHolder } from './events.ts';
import type { Tombstones } from './tombstones.ts';

interface Versioned extends EventHolder {
  version: number;
}

/**
 * Deletes one document by compare-and-set, as `changeDocument` changes one: a precondition that `check` tests
 * holds at the moment of the delete, and no event that the document still carries is lost.
 * @returns the document as it was
 * @throws ParlorError `not_found` when nothing matches `filter`, and whatever `check` throws.
 */
export const deleteDocument = async <T extends Versioned>(
  model: Model<T>,
  filter: object,
  tombstones: Tombstones,
  check?: (current: T) => void | Promise<void>,
): Promise<T> => {
  for (;;) {
    const current = await model.findOne(filter as never).lean<T>();
    if (!current) throw notFound();
    await check?.(current);
    const announce = await tombstones.bury([current]);
    const { _id, version } = current;
    const { deletedCount } = await model.deleteOne({ _id, version } as never);
    if (deletedCount === 1) {
      announce();
      return current;
    }
  }
};
