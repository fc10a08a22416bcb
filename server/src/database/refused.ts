import { mongo } from 'mongoose';
import { ParlorError } from '../platform/errors.ts';
import { databaseUnavailable } from './unavailable.ts';

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

/**
 * What a MongoDB answers of a document that an update can't be applied to: BadValue, FailedToParse, TypeMismatch,
 * PathNotViable, ConflictingUpdateOperators, DocumentValidationFailure, BSONObjectTooLarge, and a document that grows too large.
 */
const OF_A_DOCUMENT: ReadonlySet<unknown> = new Set([2, 9, 14, 28, 40, 121, 10_334, 17_419]);

/**
 * Whether a write failed for what stands in a document, or for what was to be put there, so that the same fails however
 * often it is tried. An outage is none, nor is an error of which that is not known: what it kept from being done is waited for.
 */
export const isDocumentRefused = (error: unknown): boolean => {
  if (error instanceof ParlorError || databaseUnavailable(error)) return false;
  if (error instanceof mongo.MongoBulkWriteError) {
    const refused = [error.writeErrors].flat();
    const isForGood = refused.length > 0 && refused.every(({ code }) => !databaseUnavailable({ code }));
    return isForGood && !error.result.getWriteConcernError();
  }
  // Only what is about one statement of a write has its place.
  if (error instanceof mongo.MongoServerError) {
    return typeof error.index === 'number' || OF_A_DOCUMENT.has(error.code);
  }
  if (error instanceof mongo.MongoError) return error instanceof mongo.MongoInvalidArgumentError;
  // Of a connection that mongoose waited for in vain.
  return (error as Error | undefined)?.name !== 'MongooseError';
};

/** The longest text of a database that is shown, in UTF-16 code units: one may quote what it refuses. */
const MAX_SHOWN = 200;

/** The first line of what a database says of something that it does not take. */
export const refusalText = (error: unknown): string => {
  const [first = ''] = String((error as { message?: unknown } | undefined)?.message).split('\n', 1);
  return first.slice(0, MAX_SHOWN);
};
