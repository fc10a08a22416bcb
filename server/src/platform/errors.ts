/**
 * A map of field names to lists of what is wrong with them, nested like the object (docs/contract.md#errors).
 */
export interface FieldErrors {
  [field: string]: string[] | FieldErrors;
}

/** What kind of failure an error is; http/error-responses.ts gives each its status. */
export type ErrorCode =
  | 'invalid'
  | 'malformed'
  | 'not_authenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'key_reused'
  | 'throttled'
  | 'unavailable'
  | 'disk_nearly_full'
  | 'key_gone'
  | 'stopping'
  | 'misconfigured';

/**
 * The one error type: a failure whose text may be shown to the caller. Everything else that is thrown is a
 * defect, answered with a bare 500.
 */
export class ParlorError extends Error {
  override name = 'ParlorError';
  readonly code: ErrorCode;
  /** Only with `invalid`. */
  readonly fields: FieldErrors | undefined;
  /** Headers that the response carries, such as Allow or Retry-After. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    { fields, headers = {} }: { fields?: FieldErrors; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.code = code;
    this.fields = fields;
    this.headers = headers;
  }
}

/**
 * Whether an error says that nothing was written, so that what was begun may be taken back. Any other, such as a lost answer
 * of the database, may come after the write.
 */
export const isRefusal = (error: unknown): boolean => error instanceof ParlorError;

/** The object does not exist, or belongs to another account, which is the same to a caller. */
export const notFound = (): ParlorError => new ParlorError('not_found', 'Not found.');

/** Catches that an object is gone, where that is as good. @throws every other error */
export const ignoreMissing = (error: unknown): undefined => {
  if (!(error instanceof ParlorError && error.code === 'not_found')) throw error;
};

export const forbidden = (): ParlorError =>
  new ParlorError('forbidden', 'You do not have permission to perform this action.');

/** Too many requests, by the limit that `reason` names; the next one may come after that many milliseconds. */
export const throttled = (wait: number, reason = 'Request was throttled.'): ParlorError => {
  const seconds = Math.max(1, Math.ceil(wait / 1_000));
  return new ParlorError('throttled', `${reason} Expected available in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });
};

/** What is not done in time before the server stops: as a rule another server, or the next start, can be asked. */
export const serverStops = (): ParlorError =>
  new ParlorError('stopping', 'The server is stopping. Try again.', { headers: { 'Retry-After': '1' } });

/** The input is wrong, and where. */
export const invalid = (fields: FieldErrors): ParlorError =>
  new ParlorError('invalid', 'Invalid input.', { fields });

/** @throws ParlorError `invalid` where something is wrong */
export const throwIfAny = (fields: FieldErrors): void => {
  if (Object.keys(fields).length > 0) throw invalid(fields);
};

/** The input is wrong as a whole. */
export const invalidTogether = (message: string): ParlorError => invalid({ non_field_errors: [message] });

/** A reference in a body to an object that does not exist (docs/contract.md#message). */
export const missingObject = (uuid: string): string => `Object with uuid=${uuid} does not exist.`;
