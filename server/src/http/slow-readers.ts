import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Duration } from '../platform/duration.ts';

/** Connections are looked at so often within the time that they have. */
const LOOKS = 10;

/** How much a client has taken, and since when it has taken no more. */
interface Progress {
  sentBytes: number;
  since: number;
}

/**
 * Cuts off clients that have taken nothing for `timeout` of what waits for them, on every kind of connection: what
 * they don't read is kept in memory. A client that reads slowly is left alone.
 * @returns what ends it
 */
export const cutSlowReaders = (server: Server, timeout: Duration, log: Logger): (() => void) => {
  const connections = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    // One whose upgrade was declined comes again.
    if (connections.has(socket)) return;
    connections.set(socket, { sentBytes: 0, since: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  const look = (): void => {
    const now = performance.now();
    for (const [socket, progress] of connections) {
      const sentBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || sentBytes !== progress.sentBytes) {
        progress.sentBytes = sentBytes;
        progress.since = now;
      } else if (now - progress.since >= timeout) {
        log.info({ waiting_bytes: socket.writableLength }, 'cut off a client that does not read');
        socket.resetAndDestroy();
      }
    }
  };
  const timer = setInterval(look, timeout / LOOKS);
  timer.unref();
  return () => clearInterval(timer);
};
