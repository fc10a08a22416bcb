import type { IncomingMessage } from 'node:http';
import { onceRefused } from './body-chunks.ts';
import { announcedLength } from './body-reader.ts';
import type { Handler } from './context.ts';
import type { Stopping } from './stopping.ts';

/** What is still read of a request that has its response, in bytes and milliseconds: far beyond what any route takes. */
const MAX_BYTES = 32 * 1_024 * 1_024;
const MAX_MS = 10_000;

const isRead = (request: IncomingMessage): boolean => request.complete || request.readableEnded;

/**
 * Reads on and forgets what comes, until the request ends, its connection does, one of the bounds is reached or the server
 * stops.
 * @returns whether the request ended
 */
const readAway = (request: IncomingMessage, over: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) finish();
    };
    const finish = () => {
      clearTimeout(late);
      over.removeEventListener('abort', finish);
      request.off('data', onData).off('end', finish).off('close', finish);
      request.pause();
      resolve(isRead(request));
    };
    const late = setTimeout(finish, MAX_MS);
    onceRefused(request, finish);
    over.addEventListener('abort', finish);
    // Whatever read it before, such as the decoder of a compressed body, has given up.
    request.unpipe();
    request.on('data', onData).once('end', finish).once('close', finish).resume();
  });

/**
 * Answers a request only when its body has come whole. Many clients and proxies look for a response once they have
 * sent everything: a connection that closes before, as with a 413, is a broken pipe to them, and the reason is lost.
 * Outside of whatever may answer without reading.
 */
export const unreadBody =
  ({ over }: Pick<Stopping, 'over'>): Handler =>
  async (ctx, next) => {
    await next();
    const { req } = ctx;
    if (isRead(req) || req.destroyed || ctx.respond === false) return;
    const isTooMuch = over.aborted || (announcedLength(ctx) ?? 0) > MAX_BYTES;
    if (isTooMuch || !(await readAway(req, over))) ctx.set('Connection', 'close');
  };
