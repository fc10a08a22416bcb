import { Readable } from 'node:stream';
import type { Handler } from './context.ts';
import { holdBody } from './held-bodies.ts';

/** Node.js tells of a write when all of it has gone: written in pieces, a slow reader is seen to read. */
const PIECE_BYTES = 16 * 1024;

/** What is smaller is sent at once. */
const SMALL_BYTES = 64 * 1024;

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

/**
 * Sends large responses in pieces, each when the one before is on its way: the connection holds no second copy, and none
 * of it in the heap.
 */
export const chunkedResponse: Handler = async (ctx, next) => {
  await next();
  const { body } = ctx;
  if (ctx.respond === false || !(typeof body === 'string' || Buffer.isBuffer(body))) return;
  if (body.length < SMALL_BYTES) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  holdBody(ctx.res, bytes);
  ctx.body = Readable.from(piecesOf(bytes), { objectMode: false });
  ctx.length = bytes.length;
};
