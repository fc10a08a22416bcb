/** An error with MongoDB's number and name, as a command's answer carries it. */
export class MongoError extends Error {
  /** MongoDB's error number. */
  readonly code: number;
  /** MongoDB's name for that number. */
  readonly codeName: string;
  /** Further fields of the error document, such as `keyPattern`. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, codeName: string, message: string, extra?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'MongoError';
    this.code = code;
    this.codeName = codeName;
    this.extra = extra;
  }
}

/** The number of every error that says "MongoDB can do this, this database cannot". */
export const REFUSED = 238;

/** Refuses something that MongoDB has and this database does not implement exactly; `what` names it. */
export function refused(what: string): MongoError {
  return new MongoError(REFUSED, 'NotImplemented', `${what} is not supported by this database`);
}

/** Error 39: nothing can be written for a reason that lies outside of the database, and that may pass. */
export function notWritable(message: string): MongoError {
  return new MongoError(39, 'FileStreamFailed', `the write was not stored: ${message}`);
}

const NAMES: Record<number, string> = {
  2: 'BadValue',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  52: 'DollarPrefixedFieldName',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  57: 'DottedFieldName',
  66: 'ImmutableField',
  171: 'CannotIndexParallelArrays',
};

/** An error of MongoDB's with that number; numbers without a name of their own are `Location<number>`. */
export function mongoError(code: number, message: string): MongoError {
  return new MongoError(code, NAMES[code] ?? `Location${code}`, message);
}

/** Error 2. */
export function badValue(message: string): MongoError {
  return mongoError(2, message);
}

/** Error 9. */
export function failedToParse(message: string): MongoError {
  return mongoError(9, message);
}

/** Error 14. */
export function typeMismatch(message: string): MongoError {
  return mongoError(14, message);
}
