import { UnopenedError } from '../platform/secrets.ts';

/** The database could not be reached or opened; the text is one clear line. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}

/** MongoDB's error number for a disk without room. */
export const OUT_OF_DISK_SPACE = 14_031;

/** An error of the database that the operator can mend, in one clear line; undefined for any other. */
export const toldToOperator = (error: unknown): string | undefined => {
  if (error instanceof DatabaseError || error instanceof UnopenedError) return error.message;
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  if (code !== OUT_OF_DISK_SPACE) return undefined;
  return `${message.split('\n', 1)[0]}: make room on the disk of the database first`;
};
