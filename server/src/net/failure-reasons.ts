/** Reasons in words, by the code of the error; anything else is told by its own text. */
const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connecting timed out',
  ENOTFOUND: 'name not found',
  ENODATA: 'name not found',
  EAI_AGAIN: 'name could not be resolved now',
  ETIMEOUT: 'name could not be resolved in time',
  ESERVFAIL: 'name server failed',
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_NOT_YET_VALID: 'certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate's issuer is not known",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate's issuer is not known",
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another name',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_SOCKET: 'connection closed before an answer',
  UND_ERR_HEADERS_OVERFLOW: 'headers are too large',
  // What undici's parser takes for granted, such as a status of three digits that is at least 100.
  ERR_ASSERTION: 'not an HTTP answer',
};

/** Whether this network knows a name that the public does not, and by which address, is nothing for accounts. */
const NO_PUBLIC_ADDRESS = 'the name has no public address';
const OF_NAMES: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ERR_INNER_NAME']);

/** The same as `reasonOf` for whoever is not the operator. */
export const reasonForAccount = (error: unknown): string =>
  OF_NAMES.has(Object(error).code) ? NO_PUBLIC_ADDRESS : reasonOf(error);

/** Why a request failed, in a few words for a log; whatever a library has thrown has one. */
export const reasonOf = (error: unknown): string => {
  const { code: given, message, name, errors } = Object(error) as Record<string, unknown>;
  // Several addresses were tried, and each failed: the first says why.
  if (name === 'AggregateError' && Array.isArray(errors) && errors[0]) return reasonOf(errors[0]);
  // What the Web Cryptography API throws has a number there.
  const code = typeof given === 'string' ? given : '';
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (known !== undefined) return known;
  const text = typeof message === 'string' ? message : '';
  if (name === 'HTTPParserError') return `not an HTTP answer: ${text}`;
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'TLS failed';
  return (text || code || 'failed').split('\n', 1)[0]?.slice(0, 200) ?? 'failed';
};
