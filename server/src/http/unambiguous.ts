import { ParlorError } from '../platform/errors.ts';
import type { Handler } from './context.ts';

const refuse = (detail: string): never => {
  throw new ParlorError('malformed', detail, { headers: { Connection: 'close' } });
};

/**
 * Refuses what a proxy in front may have understood otherwise, which Node.js lets through: more than one Host (RFC 9112,
 * 3.2), and a body in any transfer coding but `chunked` alone, or in that one from HTTP/1.0, which has none
 * (RFC 9112, 6.1). Where such a body ends is not certain, so that nothing more is read from its connection.
 */
export const refuseAmbiguous: Handler = ({ req: { rawHeaders, httpVersionMinor } }, next) => {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const length = rawHeaders[index]?.length;
    if (length !== 4 && length !== 17) continue;
    const name = rawHeaders[index]?.toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (name === 'host' && ++hosts > 1) throw new ParlorError('malformed', 'A request has one Host header.');
    if (name !== 'transfer-encoding') continue;
    if (value.toLowerCase() !== 'chunked') refuse('The only Transfer-Encoding that is read is chunked.');
    if (httpVersionMinor === 0) refuse('HTTP/1.0 has no Transfer-Encoding.');
  }
  return next();
};
