import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BODY_LIMIT_BYTES } from './json-body.ts';

/** A body may have as many chunks of fewer bytes than that (docs/limits.md); a slow network's segments are larger. */
export const MAX_SMALL_CHUNKS = 2_048;
const SMALL_BYTES = 1_024;

const TOO_MANY = `Request body comes in more than ${MAX_SMALL_CHUNKS} chunks of less than ${SMALL_BYTES} bytes.`;
const TOO_LARGE = `Request body is larger than ${BODY_LIMIT_BYTES} bytes.`;

/** Answers before the body has come, and closes the connection: nothing more of it is to be read. */
const refuse = ({ socket }: IncomingMessage, response: ServerResponse, detail: string): void => {
  if (response.headersSent) return void socket.destroy();
  const body = JSON.stringify({ detail });
  const head =
    'HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${body.length}\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
};

/** Counts a body's chunks as they come. @returns what takes the next one, and gives the reason when it is one too many */
const counter = ({ headers }: IncomingMessage): ((chunk: Buffer) => string | undefined) => {
  const isCompressed = !['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase());
  let small = 0;
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (length < SMALL_BYTES && ++small > MAX_SMALL_CHUNKS) return TOO_MANY;
    return isCompressed && bytes > BODY_LIMIT_BYTES ? TOO_LARGE : undefined;
  };
};

/**
 * Refuses bodies that cost more than their size says. Each chunk is the same work, whatever its size: in chunks of one byte a
 * body of the usual limit takes half a second of the processor, and what is read away much more. And compressed ones are
 * limited by what they decompress to, which may be nothing of many gigabytes.
 */
export const limitBodyChunks = (server: Server): void => {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const push = request.push.bind(request);
    const count = counter(request);
    let isRefused = false;
    request.push = (chunk, encoding) => {
      if (isRefused) return false;
      const reason = chunk === null ? undefined : count(chunk);
      if (reason === undefined) return push(chunk, encoding);
      isRefused = true;
      refuse(request, response, reason);
      return false;
    };
  });
};
