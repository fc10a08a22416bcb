import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** A connection on which more requests wait is closed, as a server may (RFC 9112, 9.3.2). */
const MAX_WAITING = 100;

/**
 * How many wait for the end of a response: Koa's pipeline of a large one takes seven listeners, and each of our own one. They go with
 * the response, so that none of them is the leak that Node.js warns of beyond ten.
 */
const MAX_LISTENERS = 20;

/**
 * Works on one request of a connection at a time; those that were sent without waiting for its response wait. Node.js
 * would begin with all of them at once: a client that sends hundreds and reads nothing would have as many responses
 * kept for it. While one waits no more is read than has come already, since requests are kept in memory, too.
 */
export const oneAtATime = (handle: RequestListener): RequestListener => {
  const waiting = new WeakMap<Socket, (() => void)[]>();

  /** Node.js reads on by itself behind each request that has come whole. */
  const stay = function (this: Socket): void {
    this.pause();
  };

  return (request, response) => {
    const { socket } = request;
    const begin = (): void => {
      response.setMaxListeners(MAX_LISTENERS);
      response.once('close', () => {
        const queue = waiting.get(socket);
        const next = queue?.shift();
        // The body of the last one may be yet to come.
        if (queue?.length === 0) socket.off('resume', stay).resume();
        if (!next) waiting.delete(socket);
        // What can't be answered, behind a response that ends its connection, is not begun.
        // Others have a turn before it: 100 small ones are in one piece of what comes.
        else if (socket.writable) setImmediate(next);
      });
      handle(request, response);
    };
    const queue = waiting.get(socket);
    if (!queue) {
      waiting.set(socket, []);
      begin();
    } else if (queue.length < MAX_WAITING) {
      if (queue.push(begin) === 1) socket.on('resume', stay).pause();
    } else socket.destroy();
  };
};
