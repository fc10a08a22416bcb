import type { Socket } from 'node:net';

/** More has come for one response than it may take on the wire. */
export class FloodError extends Error {
  override name = 'FloodError';
}

/**
 * Ends a connection on which more than `maxBytes` come for one response, whatever they are: parsers read extensions and
 * zeros of chunk sizes, trailers and informational responses without end, and tell nobody. The socket must be read in
 * JavaScript, and by one request at a time, which is sent before anything of its response comes.
 */
export const boundResponses = (socket: Socket, maxBytes: number): void => {
  let sent = 0;
  let before = 0;
  let read = 0;
  // In front of whoever reads it: what is too much is parsed no more.
  socket.prependListener('readable', () => {
    const { bytesRead, bytesWritten } = socket;
    // Another request has gone out since: what comes now is of its response.
    if (bytesWritten !== sent) before = read;
    sent = bytesWritten;
    read = bytesRead;
    if (read - before <= maxBytes) return;
    socket.destroy(new FloodError(`the answer takes more than ${maxBytes} bytes on the wire`));
  });
};
