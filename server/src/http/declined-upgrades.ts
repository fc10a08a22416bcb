import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { ParlorError } from '../platform/errors.ts';
import { refuseUpgrade } from './refused-upgrades.ts';
import { ambiguityIn } from './unambiguous.ts';

/** Headers that belong to the upgrade alone. */
const OF_UPGRADE = new Set(['connection', 'upgrade', 'http2-settings']);

/** What the client wants of its connection besides the upgrade (RFC 9112, 9.3): HTTP/1.0 closes unless it asks to stay. */
const wishFor = ({ httpVersion, headers }: IncomingMessage): 'close' | 'keep-alive' => {
  const options = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  if (options.includes('close')) return 'close';
  return httpVersion !== '1.0' || options.includes('keep-alive') ? 'keep-alive' : 'close';
};

/**
 * Goes on with a request as if it had asked for no upgrade, as a server may (RFC 9110, 7.8). Programs that speak
 * HTTP/2 where they can, such as Java's, offer `Upgrade: h2c` with ordinary requests; once a server listens for
 * upgrades, Node.js 20 hands it all of them. The request is put back into its socket without the offer; one with more headers
 * than are kept is refused (refused-upgrades.ts), since its length may be among the lost ones.
 */
export const declineUpgrade = (
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void => {
  const ambiguity = ambiguityIn(request);
  if (ambiguity !== undefined) {
    refuseUpgrade(server, request, socket, { error: new ParlorError('malformed', ambiguity) });
    return;
  }
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`, `Connection: ${wishFor(request)}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!OF_UPGRADE.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  // Header values are bytes to Node.js (RFC 9110, 5.5).
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};
