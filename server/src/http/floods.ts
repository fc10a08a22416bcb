import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { type CountedBody, countedBody } from './body-chunks.ts';

/** How often connections are looked at: what is read for nothing meanwhile is some 50 MiB on a fast network. */
const LOOK_EVERY_MS = 250;

/** What may be read beyond what was passed on of requests (docs/limits.md): that many bytes, and as often what bodies had. */
const MAX_BYTES = 1_024 * 1_024;
const TIMES_BODY = 4;

/** What has come on a connection by the last request, and the body of that one. */
interface Progress {
  before: number;
  body: CountedBody | undefined;
  /** No longer one of HTTP: whoever has taken it counts for himself. */
  isUpgraded: boolean;
}

/**
 * Ends connections of which far more is read than comes out of it, such as zeros before the size of a chunk and blank
 * lines before a request: Node.js's parser takes these without end, and tells nobody. What it has read is asked for from
 * time to time, since nothing of it comes through JavaScript.
 */
export const endFloods = (server: Server, log: Logger): void => {
  const connections = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    const known = connections.get(socket);
    connections.set(socket, { before: socket.bytesRead, body: undefined, isUpgraded: false });
    // One whose upgrade was declined comes again.
    if (!known) socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request: IncomingMessage) => {
    const progress = connections.get(request.socket);
    if (!progress) return;
    progress.before = request.socket.bytesRead;
    progress.body = countedBody(request);
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    const progress = connections.get(socket);
    if (progress) progress.isUpgraded = true;
  });
  const look = (): void => {
    for (const [socket, { before, body, isUpgraded }] of connections) {
      const bytes = socket.bytesRead - before;
      if (bytes <= MAX_BYTES || isUpgraded || bytes <= MAX_BYTES + TIMES_BODY * (body?.bytes ?? 0)) continue;
      log.info({ bytes }, 'cut off a client that sends what is no part of a request');
      socket.destroy();
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  server.once('close', () => clearInterval(timer));
};
