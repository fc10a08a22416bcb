import { ParlorError } from '../platform/errors.ts';
import type { Handler } from './context.ts';

/**
 * Refuses a request with more than one Host, as RFC 9112, 3.2 asks for: a proxy in front may have gone by another one.
 * Node.js hands on the first, and says nothing of the rest.
 */
export const singleHost: Handler = ({ req: { rawHeaders } }, next) => {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw new ParlorError('malformed', 'A request has one Host header.');
  return next();
};
