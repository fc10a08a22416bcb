import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';

/** A connection that has not sent its first byte within this time is closed; headersTimeout begins only with it. */
const FIRST_BYTE_TIMEOUT_MS = 10_000;

/** Descriptors that connections leave to the database, outgoing requests and files. */
const DESCRIPTORS_KEPT = 256;

/** The descriptors that this process may have open (RLIMIT_NOFILE); undefined where the system does not say. */
const descriptorLimit = (): number | undefined => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
};

/** Keeps silent and too many connections from using up what the server needs to work. */
export const limitConnections = (server: Server): void => {
  const limit = descriptorLimit();
  if (limit !== undefined) {
    server.maxConnections = Math.max(Math.ceil(limit / 4), limit - DESCRIPTORS_KEPT);
  }
  server.on('connection', (socket) => {
    // One whose upgrade was declined comes again.
    if (socket.bytesRead > 0) return;
    const silent = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, FIRST_BYTE_TIMEOUT_MS);
    socket.once('close', () => clearTimeout(silent));
  });
};
