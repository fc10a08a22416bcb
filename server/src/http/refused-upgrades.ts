import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Handler } from './context.ts';

/** Requests for another protocol that are refused, and why. */
const refused = new WeakMap<IncomingMessage, { error: unknown; route: string | undefined }>();

/**
 * Answers a request for another protocol as any request that fails: with the body, headers and log line of an error, and
 * counted. The HTTP server has let its socket go, with its time-outs: a client that never closes its half would hold a
 * descriptor for ever.
 * @param route what it is counted by
 */
export const refuseUpgrade = (
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  { error, route }: { error: unknown; route?: string | undefined },
): void => {
  refused.set(request, { error, route });
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  // It is the one of the HTTP server, and a socket of the network.
  response.assignSocket(socket as typeof request.socket);
  response.once('finish', () => {
    response.detachSocket(socket as typeof request.socket);
    socket.end(() => socket.destroy());
  });
  server.emit('request', request, response);
};

/** Inside of what makes responses of errors. */
export const refuseUpgrades: Handler = (ctx, next) => {
  const refusal = refused.get(ctx.req);
  if (!refusal) return next();
  // As the router says what it has matched, for the numbers.
  if (refusal.route !== undefined) Object.assign(ctx, { _matchedRoute: refusal.route });
  throw refusal.error;
};
