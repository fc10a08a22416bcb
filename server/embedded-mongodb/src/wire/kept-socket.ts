/** A private socket that cleaners of temporary files may remove: clients that are connected go on, and no other finds it. */
import { existsSync, mkdirSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { listenOnPrivateSocket } from './private-socket.ts';

/** How often it is looked for. */
const LOOK_MS = 1000;

/**
 * Listens at `path` anew whenever it is gone, in a folder that only its user can enter. What does not succeed is tried again.
 * @param take gets each new server
 * @returns what ends it
 */
export function keepSocket(path: string, take: (server: Server) => void): () => void {
  let isListening = false;
  let hasEnded = false;
  const look = async () => {
    if (isListening || existsSync(path)) return;
    isListening = true;
    try {
      if (!existsSync(dirname(path))) mkdirSync(dirname(path), { mode: 0o700 });
      const server = await listenOnPrivateSocket(path);
      if (hasEnded) server.close();
      else take(server);
    } catch {
      // As on a disk that is full.
    } finally {
      isListening = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  return () => {
    hasEnded = true;
    clearInterval(timer);
  };
}
