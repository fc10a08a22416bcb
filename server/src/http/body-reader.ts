import { ParlorError } from '../platform/errors.ts';
import { loadLater } from '../platform/load-later.ts';
import type { Context } from './context.ts';

/** Which bodies are read: their media types, and the most bytes that one may have, also of a compressed one. */
export interface BodyBounds {
  types: readonly string[];
  limit: number;
}

/** What zlib calls input that is not gzip, deflate or Brotli. */
const BROKEN_COMPRESSION = /^(Z|ERR__ERROR|ERR_BROTLI|ERR_ZLIB)_/;

/** Loaded by the first body: it brings readers of all kinds along. */
const koaBody = loadLater<typeof import('koa-body')>('koa-body');

const tooLarge = (limit: number): ParlorError =>
  new ParlorError('too_large', `Request body is larger than ${limit} bytes.`);

// koa-body would decode broken UTF-8 to U+FFFD without a word, and lose where JSON went wrong. Read as latin1,
// its text has a character for each byte, so that nothing is lost.
const createReader = ({ types, limit }: BodyBounds) =>
  koaBody().koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textTypes: [...types],
    textLimit: limit,
    encoding: 'latin1',
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
    onError: (error) => {
      const { type, status } = error as Error & { type?: string; status?: number };
      // Nobody reads this response, but it keeps a visitor's lost connection out of the list of defects.
      if (type === 'request.aborted' || type === 'stream.not.readable') {
        throw new ParlorError('malformed', 'The connection was lost before the whole body came.');
      }
      if (type === 'entity.too.large') throw tooLarge(limit);
      if (status === 415) throw new ParlorError('unsupported_media_type', `${error.message}.`);
      if (status === 400 || BROKEN_COMPRESSION.test((error as NodeJS.ErrnoException).code ?? '')) {
        throw new ParlorError('malformed', `Request body can't be read: ${error.message}.`);
      }
      throw error;
    },
  });

/** A few bytes can decompress to the whole limit: that is for callers who have shown who they are (RFC 9110, 12.5.3). */
const refuseCompressed = (): never => {
  throw new ParlorError('unsupported_media_type', 'A compressed request body needs a credential.', {
    headers: { 'Accept-Encoding': 'identity' },
  });
};

/** Content-Length in bytes; Koa's own `request.length` has 32 bits, and takes 4 GiB for an empty body. */
export const announcedLength = (ctx: Pick<Context, 'get'>): number | undefined => {
  const length = ctx.get('Content-Length');
  return length === '' ? undefined : Number(length);
};

/**
 * Makes what reads the bytes of a body; it stands behind whatever authenticates the request.
 * @returns no bytes where there is no body
 * @throws ParlorError `unsupported_media_type`, `too_large`, `malformed`
 */
export const createBodyReader = (bounds: BodyBounds): ((ctx: Context) => Promise<Buffer>) => {
  let read: ReturnType<typeof createReader> | undefined;
  return async (ctx) => {
    const length = announcedLength(ctx);
    if (length === 0 || (length === undefined && ctx.get('Transfer-Encoding') === '')) return Buffer.alloc(0);
    if (!ctx.is([...bounds.types])) {
      throw new ParlorError(
        'unsupported_media_type',
        `Unsupported media type "${ctx.get('Content-Type').slice(0, 100)}" in request.`,
      );
    }
    const encoding = ctx.get('Content-Encoding').trim().toLowerCase();
    if (!['', 'identity'].includes(encoding) && !ctx.state.principal) refuseCompressed();
    if (length !== undefined && length > bounds.limit) throw tooLarge(bounds.limit);
    read ??= createReader(bounds);
    await read(ctx as never, async () => undefined);
    return Buffer.from((ctx.request as unknown as { body?: string }).body ?? '', 'latin1');
  };
};
