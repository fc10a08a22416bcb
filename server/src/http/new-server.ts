import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import { limitBodyChunks } from './body-chunks.ts';
import { type ConnectionShares, shareConnections } from './connection-shares.ts';
import { closeSilentConnections, connectionLimit } from './connections.ts';
import { endFloods } from './floods.ts';
import { cutSlowReaders, type SlowReaderLimits } from './slow-readers.ts';
import { MAX_HEADERS } from './unambiguous.ts';

/**
 * Slow senders: headers within 10 s, the whole request within 30 s, else 408 and closed
 * (docs/contract.md#operation).
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Proxies have to let idle connections go before this; docs/proxies says so to nginx. */
const KEEP_ALIVE_TIMEOUT_MS = 5_000;

/** The bounds of a server's clients. */
export type ServerLimits = SlowReaderLimits & Pick<ConnectionShares, 'isProxy'> & Partial<ConnectionShares>;

/** A server that does not listen yet, and what ends of it what Node.js leaves. */
export interface NewServer {
  server: Server;
  /** Closes connections on which nothing has come yet: Node.js does not count them as idle. */
  closeSilent(): void;
  /** Ends the looks at slow readers. */
  stopCutting(): void;
}

/** Every server of HTTP is made here, since each of them needs the bounds of connections, senders and readers (docs/limits.md). */
export const newServer = (limits: ServerLimits, log: Logger): NewServer => {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
  });
  // Each is two texts in V8's heap, however short: 16 KiB of them could be 240. One more than may be tells of all further ones.
  server.maxHeadersCount = MAX_HEADERS + 1;
  const stopCutting = cutSlowReaders(server, limits, log);
  shareConnections(server, { maxConnections: connectionLimit(), ...limits }, log);
  const closeSilent = closeSilentConnections(server);
  // What a request expects besides 100-continue may be left out (RFC 9110, 10.1.1); Node.js would answer past everything.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  limitBodyChunks(server);
  endFloods(server, log);
  return { server, closeSilent, stopCutting };
};
