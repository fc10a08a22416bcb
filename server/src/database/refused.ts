import { mongo } from 'mongoose';

/** A document of a bulk write that was refused. */
export interface Refused {
  /** Its place in what was to be written. */
  index: number;
  code?: number | string | undefined;
}

/**
 * The documents that an unordered bulk write was refused for; all others are stored.
 * @throws `error` where it is about more than single documents: the driver tells of a lost connection or of a missed
 *   deadline by the same class, and then nothing is known of any document
 */
export const refusedOf = (error: unknown): readonly Refused[] => {
  if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
  const refused = [error.writeErrors].flat();
  if (refused.length === 0 || error.result.getWriteConcernError()) throw error;
  return refused;
};
