import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Duration } from '../platform/duration.ts';
import { addressKeys, type createClientAddress } from './client-address.ts';
import { heldBody } from './held-bodies.ts';
import { beyondBounds, UNREAD_BOUNDS, type Unread, type UnreadBounds } from './unread-bounds.ts';

/** The polling interval of connections: a tenth of the timeout, at most a second. */
const LOOKS = 10;
const LOOK_EVERY_MS = 1_000;

/** How much a client has taken, and since when it has taken no more. */
interface Progress {
  sentBytes: number;
  since: number;
  /** Since when something waits for it. */
  waitsSince: number | undefined;
  /** What its last request says of whom it came from: behind a proxy each may be somebody else's. */
  forwarded: string | string[] | undefined;
}

/** What cuts slow readers off. */
export interface SlowReaderLimits {
  /** The write timeout: how long a client may read nothing of what is buffered for it. */
  timeout: Duration;
  clientAddress: ReturnType<typeof createClientAddress>;
  /** How much may wait to be read. */
  bounds?: UnreadBounds;
  lookEvery?: Duration;
}

/**
 * Cuts off clients that have taken nothing for `timeout` of what waits for them, on every kind of connection: what
 * they don't read is kept in memory. A client that reads slowly is left alone, while what waits keeps its bounds.
 * @returns what ends it
 */
export const cutSlowReaders = (
  server: Server,
  { timeout, clientAddress, bounds = UNREAD_BOUNDS, lookEvery = LOOK_EVERY_MS }: SlowReaderLimits,
  log: Logger,
): (() => void) => {
  const connections = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    // One whose upgrade was declined comes again.
    if (connections.has(socket)) return;
    const since = performance.now();
    connections.set(socket, { sentBytes: 0, since, waitsSince: undefined, forwarded: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  const asked = ({ socket, headers }: IncomingMessage): void => {
    const progress = connections.get(socket);
    if (progress) progress.forwarded = headers['x-forwarded-for'];
  };
  server.on('request', asked);
  server.on('upgrade', asked);

  const isStalled = (socket: Socket, progress: Progress, now: number): boolean => {
    const sentBytes = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength > 0 && sentBytes === progress.sentBytes) return now - progress.since >= timeout;
    progress.sentBytes = sentBytes;
    progress.since = now;
    return false;
  };

  /** What is kept for a connection: the body of its response, of which the socket has a piece at a time, or what it was given. */
  const keptFor = (socket: Socket, progress: Progress, now: number): Omit<Unread, 'address'> => {
    if (socket.writableLength === 0) progress.waitsSince = undefined;
    else progress.waitsSince ??= now;
    return heldBody(socket) ?? { bytes: socket.writableLength, since: progress.waitsSince ?? now };
  };

  const keepBounds = (waiting: readonly (Omit<Unread, 'address'> & { socket: Socket })[], now: number) => {
    const bytes = waiting.reduce((sum, one) => sum + one.bytes, 0);
    if (bytes <= Math.min(bounds.ofAddress, bounds.together)) return;
    const unread = waiting.map(({ socket, bytes, since }) => {
      const headers = { 'x-forwarded-for': connections.get(socket)?.forwarded } as IncomingMessage['headers'];
      const { address } = addressKeys(clientAddress({ socket, headers }));
      return { socket, bytes, since, address };
    });
    const cut = beyondBounds(unread, bounds, now - lookEvery);
    if (cut.length === 0) return;
    const cutBytes = cut.reduce((sum, one) => sum + one.bytes, 0);
    log.warn(
      { connections: cut.length, bytes: cutBytes },
      'cut off clients that read slowly: too much waited',
    );
    for (const { socket } of cut) socket.resetAndDestroy();
  };

  const look = (): void => {
    const now = performance.now();
    const waiting: (Omit<Unread, 'address'> & { socket: Socket })[] = [];
    for (const [socket, progress] of connections) {
      if (isStalled(socket, progress, now)) {
        log.info({ waiting_bytes: socket.writableLength }, 'cut off a client that does not read');
        socket.resetAndDestroy();
        continue;
      }
      const { bytes, since } = keptFor(socket, progress, now);
      if (bytes > 0) waiting.push({ socket, bytes, since });
    }
    keepBounds(waiting, now);
  };
  const timer = setInterval(look, Math.min(timeout / LOOKS, lookEvery));
  timer.unref();
  return () => clearInterval(timer);
};
