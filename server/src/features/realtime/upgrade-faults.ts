import type { IncomingMessage } from 'node:http';
import { REALTIME_PATH } from '@parlor/shared';
import { ambiguityIn } from '../../http/unambiguous.ts';
import { ParlorError } from '../../platform/errors.ts';

/** Why a request for a WebSocket is refused, and the route that it was for, where it was for one. */
interface Fault {
  error: ParlorError;
  route: string | undefined;
}

/** The path of a request's target, which may be a whole URL (RFC 9112, 3.2.2); empty where there is none. */
const pathOf = ({ url = '' }: IncomingMessage): string => {
  if (url.startsWith('/')) return url.split('?', 1)[0] ?? '';
  return URL.canParse(url) ? new URL(url).pathname : '';
};

/** Whether it is for the live channel, by what routes go by, too: neither case nor a slash at the end matters. */
const isForChannel = (request: IncomingMessage): boolean =>
  pathOf(request).replace(/\/$/, '').toLowerCase() === REALTIME_PATH;

/** What is wrong with a request for a WebSocket, before anything is counted. */
export const faultOf = (request: IncomingMessage): Fault | undefined => {
  if (!isForChannel(request)) return { error: new ParlorError('not_found', 'Not found.'), route: undefined };
  const route = REALTIME_PATH;
  const ambiguity = ambiguityIn(request);
  if (ambiguity !== undefined) return { error: new ParlorError('malformed', ambiguity), route };
  const { method } = request;
  if (method === 'GET') return undefined;
  const headers = { Allow: 'GET' };
  return {
    error: new ParlorError('method_not_allowed', `Method "${method}" not allowed.`, { headers }),
    route,
  };
};

/** What the handshake itself lacks, in the words of ws; which versions there are stands in each (RFC 6455, 4.4). */
export const handshakeError = ({ message }: Error): ParlorError =>
  new ParlorError('malformed', `${message}.`, { headers: { 'Sec-WebSocket-Version': '13' } });
