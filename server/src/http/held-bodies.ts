import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The body of a response that is under way, in memory until its client has taken the last of it. */
export interface HeldBody {
  bytes: number;
  /** `performance.now()` */
  since: number;
}

/** One for each connection: responses are made one at a time (pipelining.ts). */
const held = new WeakMap<Socket, HeldBody>();

const prepared = new WeakSet<Buffer>();

/** Bytes that many responses are made of, and which the process keeps in any case: they count for none of these. */
export const prepare = (bytes: Buffer): Buffer => {
  prepared.add(bytes);
  return bytes;
};

/** Counts a body for its connection until the response has ended, in whichever way. */
export const holdBody = (response: ServerResponse, bytes: Buffer): void => {
  const { socket } = response;
  if (!socket || prepared.has(bytes)) return;
  const body = { bytes: bytes.length, since: performance.now() };
  held.set(socket, body);
  response.once('close', () => {
    if (held.get(socket) === body) held.delete(socket);
  });
};

export const heldBody = (socket: Socket): HeldBody | undefined => held.get(socket);
