import type { IncomingMessage } from 'node:http';
import { ParlorError } from '../platform/errors.ts';
import type { Handler } from './context.ts';

/**
 * Headers that a request is answered by and whose values are no lists, so that each stands once (RFC 9110, 5.3; of Host
 * RFC 9112, 3.2). Of two Node.js takes the first or joins both. Cookie is not among them: HTTP/2 divides it.
 */
const SINGLE = new Map(
  [
    ...['Authorization', 'Content-Type', 'Host', 'Idempotency-Key'],
    ...['Last-Event-ID', 'Origin', 'Parlor-Client', 'X-API-Key'],
  ].map((name) => [name.toLowerCase(), name]),
);

/** Those behind one more are not kept (new-server.ts), such as the X-Forwarded-For of a proxy. */
export const MAX_HEADERS = 100;

/** What a proxy in front may have understood otherwise in a request's headers; undefined where there is nothing. */
export const ambiguityIn = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | undefined => {
  if (rawHeaders.length > 2 * MAX_HEADERS) return `A request has ${MAX_HEADERS} headers at most.`;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = SINGLE.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) return `A request has one ${name} header.`;
    seen.add(name);
  }
  return undefined;
};

const refuse = (detail: string): never => {
  throw new ParlorError('malformed', detail, { headers: { Connection: 'close' } });
};

/**
 * Refuses what a proxy in front may have understood otherwise, which Node.js lets through: headers that stand twice, and a
 * body in any transfer coding but `chunked` alone, or in that one from HTTP/1.0, which has none (RFC 9112, 6.1). Where such
 * a body ends is not certain, so that nothing more is read from its connection.
 */
export const refuseAmbiguous: Handler = ({ req }, next) => {
  const ambiguity = ambiguityIn(req);
  if (ambiguity !== undefined) throw new ParlorError('malformed', ambiguity);
  // An empty one is one, too; several are joined.
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') refuse('The only Transfer-Encoding that is read is chunked.');
    if (req.httpVersionMinor === 0) refuse('HTTP/1.0 has no Transfer-Encoding.');
  }
  return next();
};
