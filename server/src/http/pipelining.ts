import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** A connection on which more requests wait, or that have more headers together, is closed, as a server may (RFC 9112, 9.3.2). */
const MAX_WAITING = 16;
const MAX_WAITING_HEADERS = 200;

/**
 * How many wait for the end of a response: Koa's pipeline of a large one takes seven listeners, and each of our own one. They go with
 * the response, so that none of them is the leak that Node.js warns of beyond ten.
 */
const MAX_LISTENERS = 20;

/** How much of what waits is read, beside what has come together with the first of it: requests are kept in memory (bytes). */
const MAX_WAITING_BYTES = 64 * 1_024;

interface Waiting {
  begin(): void;
  headers: number;
  /** What had been read of the connection when it came. */
  readBefore: number;
}

/**
 * Works on one request of a connection at a time; those that were sent without waiting for its response wait. Node.js
 * would begin with all of them at once: a client that sends hundreds and reads nothing would have as many responses
 * kept for it.
 */
export const oneAtATime = (handle: RequestListener): RequestListener => {
  const waiting = new WeakMap<Socket, Waiting[]>();

  return (request, response) => {
    const { socket } = request;
    const begin = (): void => {
      response.setMaxListeners(MAX_LISTENERS);
      response.once('close', () => {
        const next = waiting.get(socket)?.shift();
        if (!next) waiting.delete(socket);
        // What can't be answered, behind a response that ends its connection, is not begun.
        // Others have a turn before it: small ones come in one piece.
        else if (socket.writable) setImmediate(next.begin);
      });
      handle(request, response);
    };
    const line = waiting.get(socket);
    if (!line) {
      waiting.set(socket, []);
      begin();
      return;
    }
    const { bytesRead } = socket;
    const one = { begin, headers: request.rawHeaders.length / 2, readBefore: bytesRead };
    const headers = line.reduce((sum, other) => sum + other.headers, one.headers);
    const isTooMuch =
      bytesRead - (line[0]?.readBefore ?? bytesRead) > MAX_WAITING_BYTES || headers > MAX_WAITING_HEADERS;
    if (isTooMuch || line.length === MAX_WAITING) socket.destroy();
    else line.push(one);
  };
};
