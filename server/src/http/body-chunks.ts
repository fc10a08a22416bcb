import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** A body may have as many chunks of fewer bytes than that (docs/limits.md); a slow network's segments are larger. */
export const MAX_SMALL_CHUNKS = 2_048;
const SMALL_BYTES = 1_024;

const REFUSAL = JSON.stringify({
  detail: `Request body comes in more than ${MAX_SMALL_CHUNKS} chunks of less than ${SMALL_BYTES} bytes.`,
});
const ANSWER = [
  'HTTP/1.1 413 Payload Too Large',
  'Connection: close',
  'Content-Type: application/json',
  `Content-Length: ${REFUSAL.length}`,
  '',
  REFUSAL,
].join('\r\n');

/**
 * Refuses bodies in very many small chunks, and closes their connections. Each chunk costs the same work, whatever its size: in
 * chunks of one byte a body of the usual limit takes half a second of the processor, and what is read away much more.
 */
export const limitBodyChunks = (server: Server): void => {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const push = request.push.bind(request);
    let chunks = 0;
    let isRefused = false;
    request.push = (chunk, encoding) => {
      if (chunk !== null && chunk.length < SMALL_BYTES) chunks++;
      if (chunks <= MAX_SMALL_CHUNKS) return push(chunk, encoding);
      if (!isRefused) {
        isRefused = true;
        const { socket } = request;
        if (response.headersSent) socket.destroy();
        else socket.end(ANSWER, () => socket.destroy());
      }
      // Nothing more is to be read.
      return false;
    };
  });
};
