/** Why the embedded database could not start. Stable, so that callers need not read the message. */
export type EmbeddedMongodbErrorCode =
  /** Another process, or this one already, has the data directory open. */
  | 'LOCKED'
  /** The data directory can't be made, read or written. */
  | 'UNWRITABLE'
  /** What the data directory holds can't be read any more. */
  | 'DAMAGED'
  /** The data directory holds something else, or data of a newer format. */
  | 'FORMAT'
  /** The disk has no room for what is to be made. */
  | 'NO_SPACE'
  /** The address can't be listened on, or must not be. */
  | 'LISTEN'
  /** The worker ended without a word. */
  | 'WORKER';

/** The database could not start; the message is one line that names the directory or address. */
export class EmbeddedMongodbError extends Error {
  readonly code: EmbeddedMongodbErrorCode;

  constructor(code: EmbeddedMongodbErrorCode, message: string) {
    super(message);
    this.name = 'EmbeddedMongodbError';
    this.code = code;
  }
}

/** The error for a data file that can't be read; `how` says what was seen of it. */
export function damaged(dataDir: string, how = 'it is cut off, or was overwritten'): EmbeddedMongodbError {
  const text = `the database in ${dataDir} is damaged (${how}): put a backup in its place`;
  return new EmbeddedMongodbError('DAMAGED', text);
}

/** The error where it can't be said whether a data file is damaged. */
export function unseen(dataDir: string, why: string): EmbeddedMongodbError {
  const text = `the database in ${dataDir} could not be looked at (${why}): try again`;
  return new EmbeddedMongodbError('UNWRITABLE', text);
}
