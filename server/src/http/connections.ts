import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { descriptorLimit } from '../platform/descriptors.ts';
import { timesInHeap } from '../platform/heap.ts';

/** A connection that has not sent its first byte within this time is closed; headersTimeout begins only with it. */
const FIRST_BYTE_TIMEOUT_MS = 10_000;

/** What a connection may take of V8's heap with the heads of a request and of those that wait behind it, in bytes. */
const CONNECTION_BYTES = 64 * 1_024;

/** Descriptors that connections leave to the database, outgoing requests and files. */
const DESCRIPTORS_KEPT = 256;

/** How many connections leave what the server needs to work (docs/limits.md). */
export const connectionLimit = (): number => {
  const limit = descriptorLimit() ?? Number.POSITIVE_INFINITY;
  const byDescriptors = Math.max(Math.ceil(limit / 4), limit - DESCRIPTORS_KEPT);
  return Math.min(byDescriptors, timesInHeap(CONNECTION_BYTES));
};

/**
 * Closes connections that stay silent.
 * @returns what closes those on which nothing has come yet: Node.js does not count them as idle
 */
export const closeSilentConnections = (server: Server): (() => void) => {
  const silent = new Set<Socket>();
  const closeIfSilent = (socket: Socket) => {
    if (socket.bytesRead === 0) socket.destroy();
  };
  server.on('connection', (socket) => {
    // One whose upgrade was declined comes again.
    if (socket.bytesRead > 0) return;
    silent.add(socket);
    const noLonger = setTimeout(() => {
      silent.delete(socket);
      closeIfSilent(socket);
    }, FIRST_BYTE_TIMEOUT_MS);
    socket.once('close', () => {
      silent.delete(socket);
      clearTimeout(noLonger);
    });
  });
  return () => silent.forEach(closeIfSilent);
};
